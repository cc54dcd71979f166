import { existsSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorCode } from '../../src/schema/api-errors.ts';
import { errorCodes } from '../../src/schema/api-errors.ts';
import { writeFiles } from '../support/catalog.ts';
import { type Answer, type Asking, ask, assertError, exchange, parseAnswer, postJson } from '../support/requests.ts';
import { type Runtime, withRuntime } from '../support/server.ts';
import { testUnless } from '../support/skip.ts';
import { notesIn, vote } from '../support/voting.ts';

/** Bad requests get the right 4xx and an Error object, and nothing is stored. The server then works as before. */

const good = { slug: 'one', vote: 'yes' };
const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const emoji = '🙂';

type Row = [name: string, code: ErrorCode, asking: Asking & { path?: string; says?: RegExp }];

const body = (text: string | Buffer, headers: Record<string, string> = json): Asking => ({
  method: 'POST',
  body: text,
  headers,
});
const large = Buffer.alloc(70_000, 'x');

const rows: Row[] = [
  ['truncated JSON', 'invalid_body', body('{"slug":"one","vote":"y')],
  ['malformed JSON', 'invalid_body', body("{'slug':'one'}")],
  ['no body', 'invalid_body', body('')],
  ['a list', 'invalid_body', body('[]')],
  ['null', 'invalid_body', body('null')],
  ['a number', 'invalid_body', body('1e999')],
  ['deep nesting', 'invalid_body', body('['.repeat(60_000))],
  ['deep nesting in a field', 'invalid_body', body(`{"slug":${'['.repeat(20_000)}${']'.repeat(20_000)},"vote":"yes"}`)],
  ['only __proto__', 'invalid_body', { ...body('{"__proto__":{"slug":"one","vote":"yes"}}'), says: /`slug`/ }],
  ['constructor and prototype', 'invalid_body', body('{"constructor":{"prototype":{"slug":"one"}}}')],
  ['invalid UTF-8', 'invalid_body', body(Buffer.from('{"slug":"one","vote":"yes","note":"\xff\xfe"}', 'latin1'))],
  ['a note of 501', 'invalid_body', body(JSON.stringify({ ...good, note: emoji.repeat(501) }))],
  ['no vote', 'invalid_body', { ...body('{"slug":"one"}'), says: /`vote`/ }],
  ['another vote', 'invalid_body', { ...body('{"slug":"one","vote":"maybe"}'), says: /yes, no/ }],
  ['a vote that is true', 'invalid_body', body('{"slug":"one","vote":true}')],
  ['a note that is null', 'invalid_body', body('{"slug":"one","vote":"yes","note":null}')],
  ['a slug that is a list', 'invalid_body', body('{"slug":["one"],"vote":"yes"}')],
  ['an unknown slug', 'unknown_agent', body('{"slug":"two","vote":"yes"}')],
  ['a slug in capitals', 'unknown_agent', body('{"slug":"ONE","vote":"yes"}')],
  ['a slug that leads elsewhere', 'unknown_agent', body('{"slug":"../one","vote":"yes"}')],
  ['a slug called __proto__', 'unknown_agent', body('{"slug":"__proto__","vote":"yes"}')],
  ['no content type', 'unsupported_media_type', body(JSON.stringify(good), {})],
  ['text/plain', 'unsupported_media_type', body(JSON.stringify(good), { 'content-type': 'text/plain' })],
  ['a file form', 'unsupported_media_type', body('--x--', { 'content-type': 'multipart/form-data; boundary=x' })],
  ['64 KiB and one', 'payload_too_large', body(`{"slug":"one","vote":"yes","x":"${'x'.repeat(64 * 1024 - 33)}"}`)],
  ['70 KB with a length', 'payload_too_large', body(large)],
  ['700 KB streamed', 'payload_too_large', { ...body(''), pieces: Array.from({ length: 10 }, () => large) }],
  ['a form without a vote', 'invalid_body', body('slug=one', form)],
  ['a form with a broken escape', 'invalid_body', body('slug=one&vote=yes&note=%ff', form)],
  ['a form with half an escape', 'invalid_body', body('slug=one&vote=yes&note=%f', form)],
  ['a form with __proto__', 'invalid_body', body('__proto__=one&__proto__[slug]=one', form)],
  ['a foreign Origin', 'forbidden_origin', body(JSON.stringify(good), { ...json, origin: 'https://evil.example' })],
  ['Origin null', 'forbidden_origin', body(JSON.stringify(good), { ...json, origin: 'null' })],
  ['an Origin that is none', 'forbidden_origin', body(JSON.stringify(good), { ...json, origin: 'press.example' })],
  ['a foreign form', 'forbidden_origin', body('slug=one&vote=yes', { ...form, origin: 'https://evil.example' })],
  ['GET', 'method_not_allowed', {}],
  ['PUT', 'method_not_allowed', { ...body(JSON.stringify(good)), method: 'PUT' }],
  ['DELETE of the list', 'method_not_allowed', { path: '/api/agents.json', method: 'DELETE' }],
  ['POST to an address that is none', 'not_found', { path: '/api/vote', ...body('{}') }],
  ['an unknown agent', 'not_found', { path: '/api/agents/none.json' }],
  ['an address that is none', 'not_found', { path: '/api/none' }],
  ['the API itself', 'not_found', { path: '/api' }],
  ['a vote with a slash after the address', 'not_found', { path: '/api/feedback/', ...body(JSON.stringify(good)) }],
  ['a message to MCP with a slash after the address', 'not_found', { path: '/api/mcp/', ...body('{}') }],
  ['a vote in another case', 'not_found', { path: '/api/Feedback', ...body(JSON.stringify(good)) }],
  ['the card of MCP in capitals', 'not_found', { path: '/api/MCP' }],
  ['a broken escape in the path', 'not_found', { path: '/api/%ff' }],
];

const climbs = [
  '..',
  '%2e%2e',
  '.%2e',
  '%2E.',
  '..%2f..',
  '%2e%2e%2f%2e%2e',
  '..%5c..',
  '..\\..',
  '%252e%252e',
  '%c0%ae%c0%ae',
  '..%00',
  '....//..',
];
const targets = [
  'secret.txt',
  'secret.json',
  'agents/one/prompt.txt',
  'catalog.config.json',
  'data/votes.jsonl',
  '../../../../../../etc/passwd',
  '..%2f..%2f..%2f..%2f..%2fetc%2fpasswd',
];

test('each bad request gets its status and an Error object, and stores nothing', () =>
  withRuntime({}, async ({ server, log, data }) => {
    const health = (await ask(server.address, '/healthz')).text;
    for (const [name, code, { path = '/api/feedback', says, ...asking }] of rows) {
      const answer = await ask(server.address, path, asking);
      const { text } = answer;
      assert.is(answer.status, errorCodes[code].status, `${name}: ${text}`);
      assertError(answer, errorCodes[code].status, code);
      if (says !== undefined) assert.match(text, says, name);
      if (code === 'method_not_allowed') {
        assert.is(answer.headers.allow, path === '/api/feedback' ? 'POST, OPTIONS' : 'GET, HEAD, OPTIONS', name);
      }
      if (code === 'forbidden_origin') assertNoCors(answer);
    }
    assert.equal(notesIn(log), []);
    assert.is(readFileSync(join(data, 'signups.jsonl'), 'utf8'), '');
    assert.is((await ask(server.address, '/healthz')).text, health);
    assert.is((await vote(server.address, 'well')).status, 200);
    assert.is(({} as Record<string, unknown>).slug, undefined);
  }));

function assertNoCors({ headers }: Answer): void {
  assert.equal(
    Object.keys(headers).filter((name) => name.startsWith('access-control-')),
    [],
  );
}

test('no path leads out of the build, no matter how it is written', () =>
  withRuntime({}, async ({ server, folder }) => {
    await vote(server.address, 'leaked');
    writeFiles(folder, { 'secret.txt': 'leaked', 'secret.json': '"leaked"', 'agents/one/prompt.txt': 'leaked' });
    const paths = climbs.flatMap((climb) =>
      ['', 'api/', 'assets/', 'agents/one/'].flatMap((start) =>
        targets.map((target) => `/${start}${climb}/${start === '' ? '' : `${climb}/`}${target}`),
      ),
    );
    const wrong: string[] = [];
    await Promise.all(
      [...paths, '//etc/passwd', '/%2fetc%2fpasswd', '/\\..\\data', '/_headers', '/%5fheaders', '/.nojekyll'].map(
        async (path) => {
          const raw = await exchange(server.address, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
          const { status, text } = parseAnswer(raw.text);
          if (![400, 404].includes(status) || /root:|leaked|feedId/.test(text)) wrong.push(`${path}: ${status}`);
        },
      ),
    );
    assert.equal(wrong, []);
  }));

const requestLine = (first: string, headers = 'Host: 127.0.0.1\r\n', text = '') =>
  `${first}\r\n${headers}Connection: close\r\n${text === '' ? '' : `Content-Length: ${text.length}\r\n`}\r\n${text}`;
const post = 'Content-Type: application/json\r\n';

const raw: [name: string, bytes: string, status: number, code: string | null][] = [
  ['absolute form', requestLine('GET http://127.0.0.1/api/agents.json HTTP/1.1'), 200, null],
  ['absolute form with another host', requestLine('GET http://evil.example/api/agents.json?x HTTP/1.1'), 200, null],
  ['absolute form that climbs', requestLine('GET http://x/../../etc/passwd HTTP/1.1'), 404, null],
  ['absolute form of the API', requestLine('GET http://x/api/none HTTP/1.1'), 404, 'not_found'],
  ['absolute form of another scheme', requestLine('GET ftp://x/api/agents.json HTTP/1.1'), 404, null],
  [
    'absolute form of a bad vote',
    requestLine('POST http://x/api/feedback HTTP/1.1', `Host: x\r\n${post}`, '{}'),
    400,
    'invalid_body',
  ],
  ['an asterisk', requestLine('OPTIONS * HTTP/1.1'), 204, null],
  ['HEAD of a path that is none', requestLine('HEAD /api/\xff\xfe HTTP/1.1'), 400, null],
  ['no HTTP', 'hello\r\n\r\n', 400, 'bad_request'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400, 'bad_request'],
  ['an unknown method', requestLine('BREW /api/feedback HTTP/1.1'), 400, 'bad_request'],
  ['a space in the path', requestLine('GET /api/a b HTTP/1.1'), 400, 'bad_request'],
  ['no Host', requestLine('GET /api/agents.json HTTP/1.1', ''), 400, 'bad_request'],
  ['two Hosts', requestLine('GET /api/agents.json HTTP/1.1', 'Host: x\r\nhost: x\r\n'), 400, 'bad_request'],
  ['a second Host after others', requestLine('GET / HTTP/1.0', 'Host: x\r\nA: b\r\nHOST: y\r\n'), 400, 'bad_request'],
  [
    'one Host beside other names of four letters',
    requestLine('GET /api/agents.json HTTP/1.1', 'From: a\r\nHost: x\r\nDate: b\r\n'),
    200,
    null,
  ],
  ['an empty Host', requestLine('GET /api/agents.json HTTP/1.1', 'Host:\r\n'), 400, 'bad_request'],
  ['a Host of two words', requestLine('GET / HTTP/1.1', 'Host: a b\r\n'), 400, 'bad_request'],
  ['a Host with a path', requestLine('GET / HTTP/1.1', 'Host: a/b\r\n'), 400, 'bad_request'],
  ['a Host with a user', requestLine('GET / HTTP/1.1', 'Host: a@b\r\n'), 400, 'bad_request'],
  ['a Host with a port that is none', requestLine('GET / HTTP/1.1', 'Host: a:b\r\n'), 400, 'bad_request'],
  ['HTTP/1.0 without a Host', requestLine('GET /api/agents.json HTTP/1.0', ''), 200, null],
  ['a Host with a port', requestLine('GET /api/agents.json HTTP/1.1', 'Host: [::1]:3000\r\n'), 200, null],
  [
    'two lengths',
    requestLine('POST /api/feedback HTTP/1.1', `Host: x\r\n${post}Content-Length: 5\r\n`, '{}'),
    400,
    'bad_request',
  ],
  [
    'length and chunks',
    requestLine('POST /api/feedback HTTP/1.1', `Host: x\r\n${post}Transfer-Encoding: chunked\r\n`, '{}'),
    400,
    'bad_request',
  ],
  [
    'a length below zero',
    `POST /api/feedback HTTP/1.1\r\nHost: x\r\n${post}Content-Length: -1\r\n\r\n`,
    400,
    'bad_request',
  ],
  [
    'a chunk that is none',
    `POST /api/feedback HTTP/1.1\r\nHost: x\r\n${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    400,
    'bad_request',
  ],
  ['a NUL in a header', requestLine('GET / HTTP/1.1', 'Host: x\r\nX-A: \0\r\n'), 400, 'bad_request'],
  [
    'headers of 20 KB',
    requestLine('GET /api/agents.json HTTP/1.1', `Host: x\r\nX-A: ${'a'.repeat(20_000)}\r\n`),
    431,
    'headers_too_large',
  ],
  [
    'six thousand headers',
    requestLine('POST /api/feedback HTTP/1.1', `Host: x\r\n${'X-A: b\r\n'.repeat(6000)}`),
    431,
    'headers_too_large',
  ],
  ['a path of 20 KB', requestLine(`GET /api/${'a'.repeat(20_000)} HTTP/1.1`), 431, 'headers_too_large'],
  ['a path of 10 KB', requestLine(`GET /api/${'a'.repeat(10_000)} HTTP/1.1`), 404, 'not_found'],
  [
    'an expectation',
    requestLine('POST /api/feedback HTTP/1.1', `Host: x\r\n${post}Expect: the-best\r\n`, '{}'),
    400,
    'invalid_body',
  ],
  ['a tunnel', requestLine('CONNECT evil.example:443 HTTP/1.1'), 405, 'method_not_allowed'],
  [
    'an upgrade',
    requestLine('GET /api/none HTTP/1.1', 'Host: x\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n'),
    404,
    'not_found',
  ],
];

/** These clients never finish sending. */
const slow: [name: string, bytes: string][] = [
  ['a client that never ends its headers', 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '],
  ['a client that never begins', ''],
];

/** The errors of slow clients. This takes as long as the time limit for headers, and runs alongside the tests. */
const slowClients: Promise<string[]> = watchSlowClients().catch((error) => [String(error)]);

async function watchSlowClients(): Promise<string[]> {
  const wrong: string[] = [];
  await withRuntime({}, async ({ server }) => {
    const exchanges = slow.map(async ([name, bytes]) => {
      const { text } = await exchange(server.address, bytes, { patienceMs: 20_000 });
      const { status, text: answer } = parseAnswer(text);
      const isRight = status === 408 && answer.startsWith('{"error":"request_timeout"');
      if (!isRight) wrong.push(`${name}: ${text}`);
    });
    await Promise.all(exchanges);
    if ((await vote(server.address, 'well')).status !== 200) wrong.push('no vote is taken afterwards');
  });
  return wrong;
}

test('malformed requests get an Error object too', () =>
  withRuntime({}, async ({ server, log }) => {
    const wrong: string[] = [];
    for (const [name, bytes, status, code] of raw) {
      const { text } = await exchange(server.address, bytes);
      const answer = parseAnswer(text);
      const isRight =
        answer.status === status &&
        (!bytes.startsWith('HEAD') || answer.text === '') &&
        (code === null ||
          (JSON.parse(answer.text || '{}').error === code && answer.headers['content-type'] === 'application/json'));
      if (!isRight) wrong.push(`${name}: ${text.slice(0, 300)}`);
    }
    assert.equal(wrong, []);
    assert.equal(notesIn(log), []);
    assert.is((await vote(server.address, 'well')).status, 200);
  }));

test('valid votes of every form are stored once', () =>
  withRuntime({}, async ({ server, log }) => {
    const at = server.address;
    const votes: [name: string, Promise<Answer>][] = [
      ['500 emoji', postJson(at, '/api/feedback', { ...good, note: emoji.repeat(500) })],
      ['escaped', postJson(at, '/api/feedback', `{"slug":"one","vote":"no","note":"${'\\ud83d\\ude42'.repeat(500)}"}`)],
      ['unknown fields', postJson(at, '/api/feedback', { ...good, note: 'x', stars: 5, __proto: 1 })],
      [
        '__proto__ beside',
        postJson(at, '/api/feedback', '{"__proto__":{"admin":true},"slug":"one","vote":"yes","note":"p"}'),
      ],
      [
        'a charset',
        postJson(
          at,
          '/api/feedback',
          { ...good, note: 'c' },
          { headers: { 'content-type': 'Application/JSON ; charset=utf-8' } },
        ),
      ],
      [
        '64 KiB',
        postJson(at, '/api/feedback', `{"slug":"one","vote":"yes","note":"l","x":"${'x'.repeat(64 * 1024 - 45)}"}`),
      ],
      ['broken text', postJson(at, '/api/feedback', '{"slug":"one","vote":"yes","note":"a\\u0000b\\ud83d c\\udc00"}')],
      [
        'streamed',
        ask(at, '/api/feedback', {
          method: 'POST',
          headers: json,
          pieces: ['{"slug":"one",', '"vote":"yes","note":"s"}'].map((part) => Buffer.from(part)),
        }),
      ],
    ];
    for (const [name, answer] of votes) {
      const { status, text, headers } = await answer;
      assert.equal([name, status, text, headers['content-type']], [name, 200, '{"ok":true}', 'application/json']);
    }
    assert.equal(
      notesIn(log).sort(),
      [emoji.repeat(500), emoji.repeat(500), 'x', 'p', 'c', 'l', 'a\uFFFDb\uFFFD c\uFFFD', 's'].sort(),
    );
    const trapped = await postJson(at, '/api/feedback', { website: 'x', slug: 'none' });
    assert.equal([trapped.status, trapped.text], [200, '{"ok":true}']);
    assert.is(notesIn(log).length, 8);
  }));

test('a valid form is redirected, and an invalid one gets a page', () =>
  withRuntime({}, async ({ server, log }) => {
    const browser = {
      ...form,
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      origin: server.address.replace(/\/$/, ''),
    };
    const send = (text: string) =>
      ask(server.address, '/api/feedback', { method: 'POST', headers: browser, body: text });
    const sent = await send('slug=one&vote=yes&note=two%0D%0Alines+here&website=');
    assert.equal([sent.status, sent.headers.location], [303, '/thanks/vote']);
    assert.is((await ask(server.address, '/thanks/vote')).status, 200);
    const trapped = await send('website=x');
    assert.is(trapped.status, 303);
    const refused = await send('slug=one&vote=%3Cscript%3E');
    assert.is(refused.status, 400);
    assert.match(refused.headers['content-type'] ?? '', 'text/html');
    assert.match(refused.text, '`vote`');
    assert.not.match(refused.text, /%MESSAGE%|<script>&/);
    assert.is((await send('slug=one&vote=yes&note=a%00b')).status, 303);
    const unknown = await send('slug=none&vote=yes');
    assert.equal([unknown.status, unknown.text.includes('No agent')], [404, true]);
    assert.equal(notesIn(log), ['two\nlines here', 'a\uFFFDb']);
  }));

test('only pages of allowed origins may send and read answers', () =>
  withRuntime({ flags: { allowOrigin: 'https://friend.example' } }, async ({ server, log }) => {
    const from = (origin: string) => vote(server.address, origin, { headers: { origin } });
    const own = server.address.replace(/\/$/, '');
    for (const origin of ['https://press.example', 'https://friend.example', own, 'http://localhost:5173']) {
      const { status, headers } = await from(origin);
      assert.is(status, 200, origin);
      assert.is(headers['access-control-allow-origin'], origin);
      assert.match(headers['access-control-expose-headers'] ?? '', /RateLimit.*Retry-After/);
      assert.match(headers.vary ?? '', 'Origin');
    }
    for (const origin of [
      'https://evil.example',
      'null',
      'https://press.example.evil.example',
      'http://press.example',
    ]) {
      const answer = await from(origin);
      assertError(answer, 403, 'forbidden_origin');
      assertNoCors(answer);
    }
    const preflight = (origin: string) =>
      ask(server.address, '/api/feedback', {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
      });
    const allowed = await preflight('https://press.example');
    assert.is(allowed.status, 204);
    assert.is(allowed.headers['access-control-allow-origin'], 'https://press.example');
    assert.is(allowed.headers['access-control-allow-methods'], 'POST');
    assert.match(allowed.headers['access-control-allow-headers'] ?? '', /content-type/i);
    const denied = await preflight('https://evil.example');
    assertError(denied, 403, 'forbidden_origin');
    assertNoCors(denied);
    const bad = await postJson(server.address, '/api/feedback', {}, { headers: { origin: 'https://press.example' } });
    assert.equal([bad.status, bad.headers['access-control-allow-origin']], [400, 'https://press.example']);
    const read = await ask(server.address, '/api/agents.json', { headers: { origin: 'https://evil.example' } });
    assert.equal([read.status, read.headers['access-control-allow-origin']], [200, '*']);
    assert.is(notesIn(log).length, 4);
  }));

const limits = { voteRate: '3/60', subscribeRate: '2/60', refusedRate: '4/60' };

test('a client over its rate gets 429 with the time to wait; refused requests have a separate limit', () =>
  withRuntime({ flags: limits }, async ({ server, log }) => {
    const at = server.address;
    const bad = () => postJson(at, '/api/feedback', {});
    for (let count = 0; count < 4; count += 1) assertError(await bad(), 400, 'invalid_body');
    const tooMany = await bad();
    assertError(tooMany, 429, 'rate_limited');
    assert.match(tooMany.headers.ratelimit as string, /^"refused";r=0;t=\d+$/);
    for (const answer of [
      await postJson(at, '/api/feedback', { slug: 'none', vote: 'yes' }),
      await ask(at, '/api/feedback', { method: 'PUT' }),
      await vote(at, 'x', { headers: { origin: 'https://evil.example' } }),
      await ask(at, '/api/feedback', { method: 'POST', body: large, headers: json }),
    ]) {
      assertError(answer, 429, 'rate_limited');
    }
    const answers = [await vote(at, 'a'), await vote(at, 'b'), await vote(at, 'c')];
    assert.equal(
      answers.map(({ status, headers }) => `${status} ${headers.ratelimit}`.replace(/t=\d+/, 't=')),
      ['200 "votes";r=2;t=', '200 "votes";r=1;t=', '200 "votes";r=0;t='],
    );
    assert.is(answers[0]?.headers['ratelimit-policy'], '"votes";q=3;w=60');
    const over = await vote(at, 'd');
    assertError(over, 429, 'rate_limited');
    const wait = Number(over.headers['retry-after']);
    assert.ok(wait >= 1 && wait <= 60);
    const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
    const page = await ask(at, '/api/feedback', { method: 'POST', body: 'slug=one&vote=yes', headers: form });
    assert.equal([page.status, page.headers['content-type']], [429, 'text/html; charset=utf-8']);
    assert.match(page.headers['retry-after'] as string, /^[1-9]\d*$/);
    assert.match(page.headers.ratelimit as string, /^"votes";r=0;t=\d+$/);
    assert.equal(notesIn(log), ['a', 'b', 'c']);
    const subscribe = () => postJson(at, '/api/subscribe', { email: 'a@example.com', list: 'daily' });
    assert.equal([(await subscribe()).status, (await subscribe()).status, (await subscribe()).status], [200, 200, 429]);
    assert.is((await ask(at, '/api/agents.json')).status, 200);
  }));

/** The statuses of votes in a row, each with its X-Forwarded-For. */
async function votesOf({ server }: Runtime, forwarded: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const [index, value] of forwarded.entries()) {
    statuses.push((await vote(server.address, `${index}`, { headers: { 'x-forwarded-for': value } })).status);
  }
  return statuses;
}

test('without a trusted proxy, X-Forwarded-For is ignored', () =>
  withRuntime({ flags: { voteRate: '2/60' } }, async (runtime) => {
    assert.equal(await votesOf(runtime, ['192.0.2.1', '192.0.2.2', '192.0.2.3']), [200, 200, 429]);
  }));

test('behind one proxy, its last entry is the client, IPv6 counted by /64; earlier, client-supplied entries are ignored', () =>
  withRuntime({ flags: { voteRate: '1/60', trustProxy: '1' } }, async (runtime) => {
    const rows: [forwarded: string, status: number][] = [
      ['192.0.2.1', 200],
      ['192.0.2.1', 429],
      ['192.0.2.9, 192.0.2.1', 429],
      ['192.0.2.2', 200],
      ['192.0.2.1, 192.0.2.3', 200],
      ['2001:db8:1:2::1', 200],
      ['2001:db8:1:2:ffff::9', 429],
      ['[2001:db8:1:2::7]:4711', 429],
      ['2001:db8:1:3::1', 200],
      ['::ffff:192.0.2.1', 429],
      ['192.0.2.3:4711', 429],
      ['nobody', 200],
      ['', 429],
    ];
    assert.equal(
      await votesOf(
        runtime,
        rows.map(([forwarded]) => forwarded),
      ),
      rows.map(([, status]) => status),
    );
  }));

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));

testUnless(!hasIpv6 && 'this machine has no IPv6')(
  'a client over IPv6 is counted and its origin is its own',
  async () => {
    await withRuntime({ flags: { voteRate: '1/60', host: '::1' } }, async ({ server, log }) => {
      const at = `http://[::1]:${new URL(server.address).port}/`;
      const headers = { origin: at.replace(/\/$/, '') };
      assert.equal([(await vote(at, 'a', { headers })).status, (await vote(at, 'b', { headers })).status], [200, 429]);
      assert.equal(notesIn(log), ['a']);
      assert.not.match(readFileSync(log, 'utf8'), '::1');
    });
  },
);

test('the request log contains no note, address or query', () =>
  withRuntime({ flags: { trustProxy: '1' } }, async ({ server, log, data }) => {
    await vote(server.address, 'a private note', { headers: { 'x-forwarded-for': '198.51.100.77' } });
    await postJson(server.address, '/api/subscribe', { email: 'ann@example.com', list: 'daily', note: 'private too' });
    await ask(server.address, '/api/subscribe?email=ann@example.com');
    await ask(server.address, '/ann@example.com/x');
    await ask(server.address, '/ann%40example.com');
    await server.stop();
    assert.is(server.logged().match(/"msg":"request"/g)?.length, 5);
    assert.not.match(server.logged(), /private|example\.com|198\.51/);
    assert.not.match(readFileSync(log, 'utf8'), '198.51');
    assert.ok(existsSync(join(data, 'signups.jsonl')));
  }));

test('a client that does not send its headers in time gets 408 and is disconnected', async () => {
  assert.equal(await slowClients, []);
});

test.run();

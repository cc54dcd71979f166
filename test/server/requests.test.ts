import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorCode } from '../../src/schema/requests.ts';
import { errorCodes } from '../../src/schema/requests.ts';
import { writeFiles } from '../support/catalog.ts';
import { loud } from '../support/loud.ts';
import { type Answer, type Asking, ask, assertError, exchange, parseAnswer, postJson } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';
import { stopStores, stores } from '../support/stores.ts';
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
  ['another vote', 'invalid_body', { ...body('{"slug":"one","vote":"maybe"}'), says: /^(?!.*maybe).*yes, no/ }],
  ['two errors', 'invalid_body', { ...body('{"slug":5,"vote":"maybe"}'), says: /^(?!.*maybe).*`slug`.*`vote`/ }],
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

for (const { name, withRuntime } of stores) {
  test(`each bad request gets its status and an Error object, and stores nothing ${name}`, () =>
    withRuntime({}, async ({ server, notes, subscriptions }) => {
      const health = (await ask(server.address, '/healthz')).text;
      for (const [name, code, { path = '/api/feedback', says, ...asking }] of rows) {
        const answer = await ask(server.address, path, asking);
        const { text } = answer;
        assert.is(answer.status, errorCodes[code].status, `${name}: ${text}`);
        assertError(answer, errorCodes[code].status, code);
        const { 'cache-control': caching, 'x-content-type-options': sniffing } = answer.headers;
        assert.equal([caching, sniffing], ['no-store', 'nosniff'], name);
        if (says !== undefined) assert.match(text, says, name);
        if (code === 'method_not_allowed') {
          assert.is(answer.headers.allow, path === '/api/feedback' ? 'POST, OPTIONS' : 'GET, HEAD, OPTIONS', name);
        }
        if (code === 'forbidden_origin') assertNoCors(answer);
      }
      assert.equal(await notes(), []);
      assert.equal(await subscriptions(), []);
      assert.is((await ask(server.address, '/healthz')).text, health);
      assert.is((await vote(server.address, 'well')).status, 200);
      assert.is(({} as Record<string, unknown>).slug, undefined);
    }));
}

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
      const { text } = await exchange(server.address, bytes);
      const { status, text: answer } = parseAnswer(text);
      const isRight = status === 408 && answer.startsWith('{"error":"request_timeout"');
      if (!isRight) wrong.push(`${name}: ${text}`);
    });
    await Promise.all(exchanges);
    if ((await vote(server.address, 'well')).status !== 200) wrong.push('no vote is taken afterwards');
  });
  return wrong;
}

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
    assert.match((await postJson(server.address, '/api/feedback', {})).headers.vary ?? '', 'Origin');
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
    assert.is(allowed.headers['access-control-max-age'], '86400');
    const denied = await preflight('https://evil.example');
    assertError(denied, 403, 'forbidden_origin');
    assertNoCors(denied);
    const bad = await postJson(server.address, '/api/feedback', {}, { headers: { origin: 'https://press.example' } });
    assert.equal([bad.status, bad.headers['access-control-allow-origin']], [400, 'https://press.example']);
    const read = await ask(server.address, '/api/agents.json', { headers: { origin: 'https://evil.example' } });
    assert.equal([read.status, read.headers['access-control-allow-origin']], [200, '*']);
    assert.is(notesIn(log).length, 4);
  }));

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

test.after(loud(stopStores));

test.run();

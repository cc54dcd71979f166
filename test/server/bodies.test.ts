import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadSettings } from '../../src/catalog/settings.ts';
import { parseMessage } from '../../src/mcp/dispatch.ts';
import { parseFields } from '../../src/server/body.ts';
import { Refusal } from '../../src/server/errors.ts';
import { type ServerFlags, serverOptions } from '../../src/server/options.ts';
import { serverSettings } from '../../src/server/settings.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { ask, postJson } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';
import { notesIn, vote } from '../support/voting.ts';

/** How the server behaves at its limits, and one step to either side of them. */

const path = '/agents/one/prompt.txt';

test('a range is limited to the file, and a range that starts past its end is 416', () =>
  withRuntime({}, async ({ server: { address } }) => {
    const { body, headers } = await ask(address, path);
    const size = body.length;
    const { etag } = headers;
    const part = (first: number, last: number) => ({ status: 206, first, last });
    const whole = { status: 200, first: 0, last: size - 1 };
    const none = { status: 416, first: 0, last: -1 };
    const rows: [range: string, expected: typeof whole, more?: Record<string, string>][] = [
      ['bytes=0-0', part(0, 0)],
      ['bytes=0-', part(0, size - 1)],
      [`bytes=${size - 1}-`, part(size - 1, size - 1)],
      [`bytes=${size}-`, none],
      [`bytes=${size}-${size}`, none],
      [`bytes=1-${size - 1}`, part(1, size - 1)],
      [`bytes=1-${size}`, part(1, size - 1)],
      [`bytes=1-${'9'.repeat(400)}`, part(1, size - 1)],
      [`bytes=${'9'.repeat(400)}-`, none],
      ['bytes=-1', part(size - 1, size - 1)],
      [`bytes=-${size}`, part(0, size - 1)],
      [`bytes=-${size + 1}`, part(0, size - 1)],
      ['bytes=-0', none],
      // Anything but a single range of bytes is ignored.
      ['bytes=5-4', whole],
      ['bytes=-', whole],
      ['bytes=0-1,3-4', whole],
      ['bytes=+1-2', whole],
      ['bytes=a-b', whole],
      ['lines=0-1', whole],
      ['xbytes=0-1', whole],
      ['bytes=0-1', part(0, 1), { 'if-range': String(etag) }],
      ['bytes=0-1', whole, { 'if-range': `W/${etag}` }],
      ['bytes=0-1', whole, { 'if-range': '"other"' }],
      ['bytes=0-1', whole, { 'if-range': 'Thu, 01 Jan 2026 00:00:00 GMT' }],
      ['bytes=0-1', part(0, 1), { 'accept-encoding': 'br, gzip' }],
    ];
    for (const [range, { status, first, last }, more] of rows) {
      const name = `${range} ${JSON.stringify(more)}`;
      const answer = await ask(address, path, { headers: { range, ...more } });
      assert.is(answer.status, status, name);
      assert.equal(answer.body, body.subarray(first, last + 1), name);
      assert.is(answer.headers['content-length'], String(last - first + 1), name);
      const unit = { 200: undefined, 206: `bytes ${first}-${last}/${size}`, 416: `bytes */${size}` }[status];
      assert.is(answer.headers['content-range'], unit, name);
      assert.equal([answer.headers.etag, answer.headers['content-encoding']], [etag, undefined], name);
    }
    const head = await ask(address, path, { method: 'HEAD', headers: { range: 'bytes=0-0' } });
    assert.equal([head.status, head.headers['content-length']], [200, String(size)]);
  }));

test('each encoding of a file has its own ETag, which If-None-Match matches weakly, in a list or with a star', () =>
  withRuntime({}, async ({ server: { address } }) => {
    const encodings = [
      ['identity', (body: Buffer) => body],
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const;
    const get = (encoding: string, ifNoneMatch?: string, method = 'GET') =>
      ask(address, path, {
        method,
        headers: {
          'accept-encoding': encoding,
          ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
        },
      });
    const text = (await ask(address, path)).body;
    const etags: string[] = [];
    for (const [encoding, decode] of encodings) {
      const { body, headers } = await get(encoding);
      assert.equal(decode(body), text, encoding);
      assert.is(headers['content-encoding'], encoding === 'identity' ? undefined : encoding);
      assert.is(headers.vary, 'Accept-Encoding');
      etags.push(String(headers.etag));
      assert.is((await get(encoding, undefined, 'HEAD')).headers.etag, headers.etag);
    }
    assert.is(new Set(etags).size, 3);
    for (const [index, [encoding]] of encodings.entries()) {
      const etag = etags[index] as string;
      const other = etags[(index + 1) % 3] as string;
      const fresh = [etag, `W/${etag}`, `${other}, ${etag}`, `"x",W/${etag} ,"y"`, '*', ` ${etag} `];
      const stale = [
        other,
        `W/${other}`,
        etag.slice(1, -1),
        `${etag.slice(0, 5)}W/${etag.slice(5)}`,
        etag.replace(/"$/, 'x"'),
        `w/${etag}`,
        `W/W/${etag}`,
        '"*"',
      ];
      for (const [status, values] of [[304, fresh] as const, [200, stale] as const]) {
        for (const value of values) {
          for (const method of ['GET', 'HEAD']) {
            const answer = await get(encoding, value, method);
            assert.is(answer.status, status, `${encoding} ${method} ${value}`);
            assert.equal([answer.headers.etag, answer.headers.vary], [etag, 'Accept-Encoding']);
            if (status === 304 || method === 'HEAD') assert.is(answer.body.length, 0);
          }
        }
      }
    }
    // A precondition counts before a range (RFC 9110, section 13.2.2).
    const headers = { range: 'bytes=0-1', 'if-none-match': etags[0] as string };
    assert.is((await ask(address, path, { headers })).status, 304);
  }));

const utf8: [name: string, hex: string, isText: boolean][] = [
  ['a lone continuation', '80', false],
  ['the last continuation', 'bf', false],
  ['the first of two', 'c2', false],
  ['the first two-byte character', 'c280', true],
  ['an overlong slash', 'c0af', false],
  ['an overlong NUL', 'c080', false],
  ['an overlong character of three bytes', 'e09fbf', false],
  ['the first three-byte character', 'e0a080', true],
  ['the last character before surrogates', 'ed9fbf', true],
  ['the first surrogate', 'eda080', false],
  ['the last surrogate', 'edbfbf', false],
  ['the first character after surrogates', 'ee8080', true],
  ['an emoji', 'f09f9982', true],
  ['an emoji cut short', 'f09f99', false],
  ['an overlong character of four bytes', 'f08fbfbf', false],
  ['the last character', 'f48fbfbf', true],
  ['one past the last character', 'f4908080', false],
  ['a byte that UTF-8 never has', 'ff', false],
];

test('a body must be UTF-8 to the last byte, in JSON, in forms and in MCP messages', () => {
  for (const [name, hex, isText] of utf8) {
    const bytes = Buffer.from(hex, 'hex');
    const around = (before: string, after: string) => Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
    const bodies = [
      [around('{"note":"', '"}'), 'json'],
      [around('note=', '&a=b'), 'form'],
      [around('a=b&note=', ''), 'form'],
    ] as const;
    for (const [body, kind] of bodies) {
      if (isText) assert.is(parseFields(body, kind).note, bytes.toString('utf8'), name);
      else {
        assert.throws(
          () => parseFields(body, kind),
          (error: unknown) => error instanceof Refusal && error.code === 'invalid_body',
          `${name} ${kind}`,
        );
      }
    }
    const escaped = Buffer.from(`note=${hex.replace(/../g, '%$&')}`);
    if (isText) assert.is(parseFields(escaped, 'form').note, bytes.toString('utf8'), name);
    else assert.throws(() => parseFields(escaped, 'form'), /UTF-8/, name);
    assert.is('value' in parseMessage(around('{"id":"', '"}')), isText, `${name} in a message`);
  }
});

test('if a form has a field twice, the first one counts', () => {
  const { note, slug } = parseFields(Buffer.from('note=a&slug=one&note=b&slug='), 'form');
  assert.equal([note, slug], ['a', 'one']);
});

test('ignored and refused requests do not count toward the limits of a reader', () =>
  withRuntime({ flags: { voteRate: '1/60', subscribeRate: '1/60', refusedRate: '6/60' } }, async ({ server, log }) => {
    const { address } = server;
    const person = { email: 'ada@example.com', list: 'daily' };
    const good = { slug: 'one', vote: 'yes' };
    const foreign = { headers: { origin: 'https://evil.example' } };
    const post = async (to: string, body: object, asking = {}) =>
      (await postJson(address, `/api/${to}`, body, asking)).status;
    for (let count = 0; count < 7; count += 1) {
      assert.is(await post('feedback', { ...good, website: 'x' }), 200);
      assert.is(await post('subscribe', { ...person, website: 'x' }), 200);
    }
    const refused = [
      await post('feedback', { ...good, slug: 'none' }),
      await post('feedback', { ...good, vote: 'maybe' }),
      await post('feedback', good, foreign),
      await post('subscribe', { ...person, email: 'ada' }),
      await post('subscribe', person, foreign),
    ];
    assert.equal(refused, [404, 400, 403, 400, 403]);
    assert.equal([await post('feedback', good), await post('feedback', good)], [200, 429]);
    assert.equal([await post('subscribe', person), await post('subscribe', person)], [200, 429]);
    assert.is(notesIn(log).length, 1);
    // Neither the honeypot nor a 429 counted as refused, so one of six is left.
    assert.equal([await post('feedback', {}), await post('feedback', {})], [400, 429]);
    assert.is(await post('feedback', { website: 'x' }), 200);
    assert.is((await vote(address, 'late')).status, 429);
  }));

/** For each setting of the server: the values of a flag and a variable, the resulting values, and the default. */
const precedence: Record<(typeof serverOptions)[number]['key'], [flag: string, variable: string, ...unknown[]]> = {
  port: ['1', '2', 1, 2, 3000],
  host: ['::1', '0.0.0.0', '::1', '0.0.0.0', '127.0.0.1'],
  out: ['a', 'b', '/cwd/a', '/cwd/b', '/cwd/dist'],
  data: ['a', 'b', '/cwd/a', '/cwd/b', '/cwd/data'],
  votes: ['a', 'b', '/cwd/a', '/cwd/b', '/cwd/data/votes.jsonl'],
  voteRate: ['1/1', '2/2', { count: 1, seconds: 1 }, { count: 2, seconds: 2 }, { count: 30, seconds: 60 }],
  subscribeRate: ['off', '2/2', null, { count: 2, seconds: 2 }, { count: 20, seconds: 60 }],
  mcpRate: ['1/1', 'off', { count: 1, seconds: 1 }, null, { count: 3000, seconds: 60 }],
  refusedRate: ['1/1', '2/2', { count: 1, seconds: 1 }, { count: 2, seconds: 2 }, { count: 120, seconds: 60 }],
  maxConnections: ['0', '2', 0, 2, 1000],
  maxClientConnections: ['1', '0', 1, 0, 200],
  trustProxy: ['0', '2', 0, 2, 0],
  allowOrigin: ['http://a.example', 'http://b.example', ['http://a.example'], ['http://b.example'], []],
  subscribers: ['file', 'webhook', 'file', 'webhook', 'file'],
  logLevel: ['silent', 'trace', 'silent', 'trace', 'info'],
};

for (const { key, variable } of serverOptions) {
  const [flagValue, variableValue, byFlag, byVariable, byDefault] = precedence[key];
  test(`the flag of ${key} overrides ${variable}, which overrides the default`, () => {
    const webhook = { CATALOG_SIGNUPS_URL: 'https://hook.example/', CATALOG_SIGNUPS_KEY: 'x' };
    const read = (flags: ServerFlags, environment: NodeJS.ProcessEnv) => {
      const settings = serverSettings(flags, { ...webhook, ...environment }, '/cwd');
      const { dist: out, subscribeRate, subscribers, ...rest } = settings;
      return { ...rest, out, subscribeRate, subscribers: subscribers.provider }[key];
    };
    assert.equal(read({ [key]: flagValue }, { [variable]: variableValue }), byFlag);
    assert.equal(read({ [key]: flagValue }, {}), byFlag);
    assert.equal(read({}, { [variable]: variableValue }), byVariable);
    assert.equal(read({}, { [variable]: '' }), byDefault);
    assert.equal(read({}, {}), byDefault);
  });
}

test('addresses come from the flags, or else from the variables, or else from the file', () =>
  inFolder((folder) => {
    const file = 'https://file.example';
    const [flag, variable] = ['https://flag.example', 'https://variable.example'];
    const read = (settings: object, overrides: object, environment: object) => {
      writeCatalog(folder, [], settings);
      const { baseUrl, runtimeUrl } = loadSettings(folder, overrides, environment as NodeJS.ProcessEnv);
      return [baseUrl, runtimeUrl];
    };
    const bases = { baseUrl: flag };
    const variables = { CATALOG_BASE_URL: variable };
    assert.equal(read({ baseUrl: file }, bases, variables), [flag, flag]);
    assert.equal(read({ baseUrl: file }, {}, variables), [variable, variable]);
    assert.equal(read({ baseUrl: file }, { baseUrl: '' }, { CATALOG_BASE_URL: '' }), [file, file]);
    const own = { baseUrl: 'https://press.example', runtimeUrl: file };
    const runtime = { CATALOG_RUNTIME_URL: variable };
    assert.equal(read(own, { runtimeUrl: flag }, runtime), [own.baseUrl, flag]);
    assert.equal(read(own, {}, runtime), [own.baseUrl, variable]);
    assert.equal(read(own, {}, { CATALOG_RUNTIME_URL: '' }), [own.baseUrl, file]);
    assert.equal(read(own, bases, variables), [flag, file]);
    assert.equal(read({ ...own, runtimeUrl: null }, bases, variables), [flag, null]);
    assert.equal(read({ ...own, runtimeUrl: null }, {}, runtime), [own.baseUrl, variable]);
  }));

test.run();

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ask, assertError } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';

/** Which part of a file a range gets, and which ETags make the server answer that nothing changed. */

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

test('a range outside of a document of the API is 416 with an Error object, and Content-Range has the size', () =>
  withRuntime({ settings: { baseUrl: 'https://press.example/catalog' } }, async ({ server: { address }, dist }) => {
    const { origin } = new URL(address);
    // A file of this size is not kept in memory.
    writeFileSync(join(dist, 'api/evals.json'), Buffer.alloc(8 * 1024 * 1024 + 1, ' '));
    for (const path of ['/catalog/api/agents.json', '/catalog/api/evals.json']) {
      const size = (await ask(origin, path)).body.length;
      for (const range of [`bytes=${size}-`, 'bytes=-0']) {
        // The second answer to a path comes from memory.
        for (const time of ['first', 'second']) {
          const answer = await ask(origin, path, { headers: { range } });
          assertError(answer, 416, 'range_not_satisfiable');
          const { headers } = answer;
          const facts = [headers['content-range'], headers['cache-control'], headers['access-control-allow-origin']];
          assert.equal(facts, [`bytes */${size}`, 'no-store', '*'], `${path} ${range} ${time}`);
          assert.is(headers.etag, undefined);
        }
      }
    }
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

test.run();

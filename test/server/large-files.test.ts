import { once } from 'node:events';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CachedFile, FileCache, readerOf } from '../../src/server/build-follower.ts';
import { serveLarge } from '../../src/server/files.ts';
import { siteRules } from '../../src/site/hosting/site-rules.ts';
import { inFolder } from '../support/catalog.ts';
import { ask } from '../support/requests.ts';
import { type Runtime, withRuntime } from '../support/server.ts';

/** The server keeps files of up to 8 MiB in memory and streams larger ones. Readers must see no difference. */

const limit = 8 * 1024 * 1024;
const path = '/assets/large.svg';

/** Bytes in which no two neighboring ranges are equal. */
function writeLarge({ dist }: Runtime, size: number): Buffer {
  const bytes = Buffer.from(Array.from({ length: 251 }, (_, index) => index));
  const large = Buffer.alloc(size, bytes);
  writeFileSync(join(dist, path), large);
  return large;
}

const part = (first: number, last: number) => ({ status: 206, first, last });

for (const size of [limit - 1, limit, limit + 1]) {
  const whole = { status: 200, first: 0, last: size - 1 };
  const none = { status: 416, first: 0, last: -1 };
  const rows: [range: string, expected: typeof whole][] = [
    ['bytes=0-0', part(0, 0)],
    ['bytes=0-1', part(0, 1)],
    ['bytes=252-', part(252, size - 1)],
    [`bytes=${size - 2}-${size}`, part(size - 2, size - 1)],
    [`bytes=${size - 1}-`, part(size - 1, size - 1)],
    [`bytes=${size}-`, none],
    ['bytes=-1', part(size - 1, size - 1)],
    [`bytes=-${size + 1}`, part(0, size - 1)],
    ['bytes=-0', none],
    ['bytes=5-4', whole],
    ['bytes=0-1,3-4', whole],
    ['lines=0-1', whole],
  ];

  test(`a file of ${size} bytes: its bytes, ranges, conditions and headers`, () =>
    withRuntime({}, async (runtime) => {
      const { address } = runtime.server;
      const bytes = writeLarge(runtime, size);
      const common = { ...(await ask(address, '/assets/favicon.svg')).headers };
      const answer = await ask(address, path);
      assert.is(answer.status, 200);
      assert.ok(answer.body.equals(bytes));
      const { etag } = answer.headers;
      assert.match(String(etag), /^"[0-9a-f-]+"$/);
      // All headers except those that depend on the file.
      for (const name of ['etag', 'content-length', 'date', 'vary']) delete common[name];
      for (const [name, value] of Object.entries(common)) assert.is(answer.headers[name], value, name);

      for (const [range, { status, first, last }] of rows) {
        const found = await ask(address, path, { headers: { range } });
        assert.is(found.status, status, range);
        assert.ok(found.body.equals(bytes.subarray(first, last + 1)), range);
        const unit = { 200: undefined, 206: `bytes ${first}-${last}/${size}`, 416: `bytes */${size}` }[status];
        assert.equal(
          [found.headers['content-range'], found.headers['content-length'], found.headers.etag],
          [unit, String(last - first + 1), etag],
          range,
        );
        assert.is(found.headers['cache-control'], 'no-cache', range);
        assert.is(found.headers['content-security-policy'], common['content-security-policy'], range);
      }
      const statuses: [status: number, headers: Record<string, string>][] = [
        [206, { range: 'bytes=0-1', 'if-range': String(etag) }],
        [200, { range: 'bytes=0-1', 'if-range': `W/${etag}` }],
        [200, { range: 'bytes=0-1', 'if-range': '"other"' }],
        [304, { 'if-none-match': String(etag) }],
        [304, { 'if-none-match': `"other", W/${etag}` }],
        [304, { 'if-none-match': '*', range: 'bytes=0-1' }],
        [200, { 'if-none-match': '"other"' }],
      ];
      for (const [status, headers] of statuses) {
        const found = await ask(address, path, { headers });
        assert.is(found.status, status, JSON.stringify(headers));
        // A browser that stored the file asks each time whether it has changed.
        assert.equal(
          [found.headers['cache-control'], found.headers['access-control-allow-origin'], found.headers.etag],
          ['no-cache', '*', etag],
        );
      }
      const head = await ask(address, path, { method: 'HEAD', headers: { range: 'bytes=0-0' } });
      assert.equal(
        [head.status, head.body.length, head.headers['content-length'], head.headers.etag],
        [200, 0, String(size), etag],
      );
    }));
}

test('below a path, a large file that replaces another gets a new ETag, and a reader who leaves early causes no error', () =>
  withRuntime({ settings: { baseUrl: 'https://press.example/c++' } }, async (runtime) => {
    const { address, logged } = runtime.server;
    const below = `/c++${path}`;
    writeLarge(runtime, limit + 2);
    const before = await ask(address, below, { method: 'HEAD' });
    const request = http.get(new URL(below, address), { agent: false });
    const [response] = await once(request, 'response');
    response.destroy();
    writeLarge(runtime, limit + 3);
    const after = await ask(address, below);
    assert.equal([after.status, after.body.length], [200, limit + 3]);
    assert.is.not(after.headers.etag, before.headers.etag);
    assert.not.match(logged(), '"level":50');
  }));

test('a large file that is gone by the time it is opened is not found', () =>
  inFolder(async (folder) => {
    const parts = [{}, {}, { folders: { roots: [folder] } }, 'llms-full.txt'] as unknown as Parameters<
      typeof serveLarge
    >;
    assert.is(await serveLarge(...parts), false);
  }));

test('files of up to 8 MiB are kept in memory, and files of at least 512 bytes are compressed', () =>
  inFolder(async (folder) => {
    mkdirSync(join(folder, 'agents'));
    const sized = (name: string, bytes: number) => {
      writeFileSync(join(folder, name), '');
      truncateSync(join(folder, name), bytes);
    };
    sized('llms.txt', 8_388_608);
    sized('llms-full.txt', 8_388_609);
    sized('feed.xml', 511);
    sized('atom.xml', 512);
    const cache = new FileCache(
      readerOf({ roots: [folder], removed: new Set() }),
      { baseUrl: 'http://localhost', runtimeUrl: null },
      siteRules,
    );
    assert.is.not(await cache.get('llms.txt'), 'large');
    assert.is(await cache.get('llms-full.txt'), 'large');
    const isCompressed = async (name: string) => {
      const file = await cache.get(name);
      if (file === null || file === 'large') return null;
      return (await cache.variant(name, file, 'gzip')) !== file.plain;
    };
    assert.equal([await isCompressed('feed.xml'), await isCompressed('atom.xml')], [false, true]);
  }));

test('a file that could not be read once is read again at the next request', async () => {
  let reads = 0;
  const read = async () => {
    reads += 1;
    if (reads === 1) throw new Error('EMFILE');
    return Buffer.from('User-agent: *');
  };
  const cache = new FileCache(read, { baseUrl: 'http://localhost', runtimeUrl: null }, siteRules);
  const failed = await cache.get('robots.txt').catch(({ message }: Error) => message);
  const file = await cache.get('robots.txt');
  assert.equal([failed, String((file as CachedFile).bytes)], ['EMFILE', 'User-agent: *']);
});

test.run();

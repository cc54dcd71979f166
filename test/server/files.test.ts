import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CachedFile, FileCache, readerOf } from '../../src/server/build-follower.ts';
import { siteRules } from '../../src/site/hosting/site-rules.ts';
import { inFolder, type SmallAgent } from '../support/catalog.ts';
import { ask } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';

/** The files of a build: which paths reach them, which are kept in memory, and their headers. */

const unserved = ['404', 'refused', '%3404', '%72efused', '_headers', '%5fheaders', '.nojekyll', 'Refused'];
const spellings = unserved.flatMap((name) => [
  `/${name}`,
  `/${name}.html`,
  `/${name}/`,
  `/${name}?v=1`,
  `/${name}.html/`,
]);

const askings = [{}, { headers: { 'accept-encoding': 'br' } }, { method: 'HEAD' }];

for (const path of ['', '/catalog']) {
  test(`the pages for errors and form answers are 404 under every spelling, even when repeated, below ${path || '/'}`, () =>
    withRuntime({ settings: { baseUrl: `https://press.example${path}` } }, async ({ server: { address } }) => {
      const wrong: string[] = [];
      // The second round is answered from memory if possible.
      for (let round = 1; round <= 2; round += 1) {
        for (const spelling of spellings) {
          for (const asking of askings) {
            const { status, text } = await ask(address, path + spelling, asking);
            if (status !== 404) wrong.push(`${round} ${spelling} ${JSON.stringify(asking)}: ${status}`);
            if (/send the form again|no longer works/.test(text)) wrong.push(`${spelling} shows a template`);
          }
        }
      }
      assert.equal(wrong, []);
      for (const name of ['', '/', '/archive', '/archive/', '/archive.html', '/%61rchive']) {
        if (path + name === '') continue;
        for (let round = 1; round <= 2; round += 1) {
          assert.is((await ask(address, path + name)).status, 200, `${round} ${name}`);
        }
      }
    }));
}

const others = ['feed.xml', 'atom.xml', 'sitemap.xml'];

/**
 * A cache of 1.6 MB that contains llms.txt, which takes 900 KB and is slow to compress, and `others` with 500 KB each.
 */
async function withCache(use: (cache: FileCache) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const words = Array.from({ length: 200_000 }, (_, index) => (index * 7919) % 100_003).join(' ');
    writeFileSync(join(folder, 'llms.txt'), words.slice(0, 900_000));
    for (const name of others) writeFileSync(join(folder, name), words.slice(0, 500_000));
    await use(
      new FileCache(
        readerOf({ roots: [folder], removed: new Set() }),
        { baseUrl: 'http://localhost', runtimeUrl: null },
        siteRules,
        1_600_000,
      ),
    );
  });
}

test('requests at the same time share one compression in each encoding, and both are kept', () =>
  withCache(async (cache) => {
    const file = (await cache.get('llms.txt')) as CachedFile;
    const encodings = ['br', 'gzip'] as const;
    const first = encodings.map((encoding) => cache.variant('llms.txt', file, encoding));
    await Promise.race(first);
    const second = encodings.map((encoding) => cache.variant('llms.txt', file, encoding));
    const [br, gzip, brAgain, gzipAgain] = await Promise.all([...first, ...second]);
    assert.ok(br === brAgain && gzip === gzipAgain, 'compressed twice');
    const kept = cache.peek('llms.txt');
    assert.ok(kept?.compressed.br === br && kept?.compressed.gzip === gzip, 'not kept');
  }));

test('a compression that ends after its file was evicted takes no memory', () =>
  withCache(async (cache) => {
    for (let round = 0; round < 8; round += 1) {
      const file = (await cache.get('llms.txt')) as CachedFile;
      await Promise.all([cache.variant('llms.txt', file, 'br'), ...others.map((name) => cache.get(name))]);
    }
    for (const name of others) await cache.get(name);
    const kept = others.filter((name) => cache.peek(name) !== undefined);
    assert.equal(kept, others);
  }));

const permanent = 'public, max-age=31536000, immutable';

test('only an asset that is requested with its version is cached permanently, in every kind of answer', () =>
  withRuntime({}, async ({ server: { address } }) => {
    const page = (await ask(address, '/')).text.replaceAll('&#x3D;', '=');
    const [, asset = '', version = ''] = /(\/assets\/[\w.-]+\?v=)([0-9a-f]{12})/.exec(page) ?? [];
    const current = asset + version;
    const rows: [path: string, caching: string][] = [
      [current, permanent],
      [asset + version.slice(1), 'no-cache'],
      [`${current}0`, 'no-cache'],
      [`${asset}000000000000`, 'no-cache'],
      [asset, 'no-cache'],
      [asset.replace(/\?.*/, ''), 'no-cache'],
      [asset.replace('?v=', '?w=') + version, 'no-cache'],
      ['/archive', 'no-cache'],
      [`/archive?v=${version}`, 'no-cache'],
      ['/archive?v=null', 'no-cache'],
      [`/api/agents.json?v=${version}`, 'no-cache'],
    ];
    for (const [path, caching] of rows) {
      // The second round is answered from memory.
      for (const round of [1, 2]) {
        const whole = await ask(address, path);
        const head = await ask(address, path, { method: 'HEAD' });
        const part = await ask(address, path, { headers: { range: 'bytes=0-0' } });
        const fresh = await ask(address, path, { headers: { 'if-none-match': String(whole.headers.etag) } });
        const answers = [whole, head, part, fresh];
        assert.equal(
          answers.map(({ status, headers }) => [status, headers['cache-control']]),
          [200, 200, 206, 304].map((status) => [status, caching]),
          `${path} ${round}`,
        );
      }
    }
    // The last name is longer than a file system allows.
    for (const path of [`/no-such-page?v=${version}`, `/assets/none.css?v=${version}`, `/tags/${'x'.repeat(300)}`]) {
      const { status, headers } = await ask(address, path);
      assert.equal([status, headers['cache-control'], headers.etag], [404, 'no-store', undefined], path);
    }
  }));

const security = (headers: Record<string, unknown>) =>
  ['strict-transport-security', 'cross-origin-opener-policy', 'cross-origin-resource-policy'].map(
    (name) => headers[name],
  );

test('files have policies for browsers, and HSTS if the catalog has its own HTTPS host', async () => {
  const expected: [settings: object, hsts: string | undefined][] = [
    [{ baseUrl: 'https://press.example' }, 'max-age=31536000'],
    [{ baseUrl: 'https://press.example', runtimeUrl: 'http://192.0.2.1:3000' }, undefined],
    [{ baseUrl: 'http://press.example' }, undefined],
    [{ baseUrl: 'https://press.example/catalog' }, undefined],
  ];
  for (const [settings, hsts] of expected) {
    await withRuntime({ settings }, async ({ server: { address } }) => {
      const base = new URL(address).pathname;
      for (const path of ['', 'api/agents.json', 'og/one.png', 'no-such-page']) {
        const { headers } = await ask(address, base + path);
        assert.equal(security(headers), [hsts, 'same-origin', 'cross-origin'], path);
        const policy = headers['content-security-policy'] as string;
        assert.match(policy, "require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'none'");
      }
    });
  }
});

test('another method is refused, also for a page that is in memory and for monitoring', () =>
  withRuntime({}, async ({ server: { address } }) => {
    const rows: [path: string, type: string][] = [
      ['/agents/one', 'text/plain; charset=utf-8'],
      ['/api/agents.json', 'application/json'],
      ['/healthz', 'application/json'],
      ['/readyz', 'application/json'],
    ];
    for (const [path, type] of rows) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        const { status, headers, text } = await ask(address, path, { method });
        assert.is(status, method === 'GET' ? 200 : 405, `${method} ${path}`);
        if (method === 'GET') continue;
        assert.equal([headers.allow, headers['content-type']], ['GET, HEAD, OPTIONS', type]);
        // Scripts of other sites may read the reason.
        assert.is(headers['access-control-allow-origin'], '*', `${method} ${path}`);
        const message = 'This address accepts GET and HEAD.';
        const expected = type === 'application/json' ? JSON.stringify({ error: 'method_not_allowed', message }) : null;
        assert.is(text, expected ?? 'Method not allowed\n');
      }
      const { status, headers } = await ask(address, path, { method: 'OPTIONS' });
      assert.equal([status, headers['access-control-allow-methods']], [204, 'GET, HEAD']);
      assert.equal([headers.allow, headers['access-control-allow-origin']], ['GET, HEAD, OPTIONS', '*']);
      assert.equal(
        [headers['access-control-allow-headers'], headers['access-control-max-age']],
        ['Content-Type, If-None-Match', '86400'],
      );
    }
  }));

test('files of an agent are served only with a build that has it, under its slug or a former one', () => {
  const agents: SmallAgent[] = [{ slug: 'one', date: '2026-01-01', front: { formerSlugs: '[former]' } }];
  return withRuntime({ agents }, async ({ server: { address }, dist }) => {
    const filesOf = (slug: string) => [
      `agents/${slug}.html`,
      `agents/${slug}/prompt.txt`,
      `api/agents/${slug}.json`,
      `.well-known/agent-skills/${slug}/SKILL.md`,
    ];
    const statusOf = async (path: string) => (await ask(address, `/${path}`)).status;
    for (const path of filesOf('two')) {
      mkdirSync(dirname(join(dist, path)), { recursive: true });
      writeFileSync(join(dist, path), 'x');
      assert.is(await statusOf(path), 404, path);
    }
    for (const path of filesOf('one')) assert.is(await statusOf(path), 200, path);
    assert.is(await statusOf('agents/two'), 404);
    for (const path of ['agents/former', 'agents/former.html', '.well-known/agent-skills/index.json']) {
      assert.is(await statusOf(path), 200, path);
    }
  });
});

test('files are compressed at levels that keep answers fast', () =>
  withRuntime({}, async ({ server: { address } }) => {
    const get = async (encoding: string) =>
      (await ask(address, '/llms-full.txt', { headers: { 'accept-encoding': encoding } })).body;
    const text = await get('identity');
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
    assert.equal(await get('br'), brotliCompressSync(text, { params }));
    assert.equal(await get('gzip'), gzipSync(text));
  }));

/** A file of so many bytes, and the encoding in which it is sent to a browser. */
const compressed: [path: string, bytes: number, encoding: string | undefined][] = [
  ['llms.txt', 511, undefined],
  ['llms.txt', 512, 'br'],
  ['feed.json', 600, 'br'],
  ['feed.xml', 600, 'br'],
  ['assets/icon.svg', 600, 'br'],
  ['og/one.png', 600, undefined],
];
for (const [path, bytes, encoding] of compressed) {
  test(`${path} of ${bytes} bytes is sent ${encoding === undefined ? 'uncompressed' : 'compressed'}`, () =>
    withRuntime({}, async ({ server: { address }, dist }) => {
      writeFileSync(join(dist, path), 'x'.repeat(bytes));
      const headers = { 'accept-encoding': 'gzip, br' };
      for (const round of [1, 2]) {
        const answer = await ask(address, `/${path}`, { headers });
        assert.equal([answer.status, answer.headers['content-encoding']], [200, encoding], `${round}`);
      }
    }));
}

test.run();

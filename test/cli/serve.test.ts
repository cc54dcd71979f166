import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, snapshot, writeCatalog } from '../support/catalog.ts';
import { catalog, startServer } from '../support/process.ts';

/** `catalog serve` as a person starts it: with a build, without one, and with obstacles. */

test('serve --build builds, prints the address, serves it, and exits with 0 on SIGTERM. A second one on the same data is refused before it changes what the first one serves', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    const data = ['--data', join(folder, 'data')];
    const server = await startServer(['--build', '--cwd', folder, ...data]);
    try {
      const { agent } = (await (await fetch(`${server.address}api/agents/one.json`)).json()) as {
        agent: { url: string };
      };
      assert.is(agent.url, `${server.address}agents/one`);
      const before = snapshot(join(folder, 'dist'));
      const second = await catalog(['serve', '--build', '--port', '0', '--cwd', folder, ...data]);
      assert.is(second.code, 1);
      assert.match(
        second.stderr,
        /is in use by process .* first, or give this one another data folder with --data\.\n$/,
      );
      const flags = ['--base-url', 'https://elsewhere.example', '--port', '0', '--cwd', folder, ...data];
      const third = await catalog(['serve', ...flags]);
      assert.match(third.stderr, '--base-url and --runtime-url have no effect without --build');
      assert.match(third.stderr, 'is in use by process');
      assert.equal(snapshot(join(folder, 'dist')), before);
    } finally {
      assert.is((await server.stop()).code, 0);
    }
  });
});

test('serve --build prints the diagnostics and exits with 1 if nothing can be built', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }], { title: '' });
    const { code, stderr } = await catalog(['serve', '--build', '--port', '0', '--cwd', folder]);
    assert.is(code, 1);
    assert.match(stderr, 'catalog.config.json');
    assert.match(stderr, '`title`');
  });
});

test('serve without a build says how to make one', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, []);
    const { code, stderr } = await catalog(['serve', '--port', '0', '--cwd', folder]);
    assert.is(code, 1);
    assert.match(stderr, 'catalog serve --build');
  });
});

const refusals: [name: string, settings: object, flags: string[], code: number, words: RegExp][] = [
  ['a wrong base URL', {}, ['--build', '--base-url', 'nope'], 2, /^error: --base-url is "nope"/],
  ['a wrong address of the server', {}, ['--build', '--runtime-url', 'nope'], 2, /^error: --runtime-url is "nope"/],
  ['a wrong setting', { title: '' }, ['--build'], 1, /`title`/],
  [
    'no build',
    {},
    [],
    1,
    /dist has no build\. Run `npx --no daily-agent-catalog build` first, or start with `npx --no daily-agent-catalog serve --build`\./,
  ],
  [
    'that --out is a file',
    {},
    ['--out', 'catalog.config.json'],
    1,
    /config\.json has no build that can be served \(ENOTDIR\)\. Run `npx --no daily-agent-catalog build` first, with the same --out, or start with/,
  ],
];
for (const [name, settings, flags, code, words] of refusals) {
  test(`serve makes no folder for its data before it finds ${name}`, async () => {
    await inFolder(async (folder) => {
      writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }], settings);
      const refused = await catalog(['serve', '--port', '0', '--cwd', folder, ...flags]);
      assert.is(refused.code, code);
      assert.match(refused.stderr, words);
      assert.equal(readdirSync(folder).sort(), ['agents', 'catalog.config.json']);
    });
  });
}

test('a wrong base URL is refused even if there is an earlier build to serve', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    assert.is((await catalog(['build', '--cwd', folder])).code, 0);
    const { code, stderr } = await catalog(['serve', '--build', '--port', '0', '--cwd', folder, '--base-url', 'nope']);
    assert.is(code, 2);
    assert.match(stderr, '--base-url is "nope"');
  });
});

test('the log warns of a preview that other machines can open', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2099-01-01' }]);
    for (const [host, flags] of [
      ['0.0.0.0', []],
      ['0.0.0.0', ['--future']],
      ['127.0.0.1', ['--future']],
    ] as const) {
      assert.is((await catalog(['build', '--cwd', folder, ...flags])).code, 0);
      const server = await startServer(['--cwd', folder, '--host', host]);
      const { code, stdout } = await server.stop();
      assert.is(code, 0);
      const isWarned = stdout.includes('other machines can open this preview, which may show drafts');
      assert.is(isWarned, flags.length > 0 && host === '0.0.0.0', `${flags} on ${host}`);
    }
  });
});

test('serve names a port that is in use', async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  const { port } = other.address() as AddressInfo;
  try {
    await inFolder(async (folder) => {
      writeCatalog(folder, []);
      const { code, stderr } = await catalog(['serve', '--build', '--port', String(port), '--cwd', folder]);
      assert.is(code, 1);
      assert.match(stderr, `Port ${port} of 127.0.0.1 is already in use`);
    });
  } finally {
    other.close();
  }
});

test.run();

import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dependencyOn, ownPackage, prepareCatalog } from '../../../src/content/new/write.ts';
import { bundled, inFolder, writeFiles } from '../../support/catalog.ts';
import { catalog } from '../../support/process.ts';
import { read } from '../../support/scaffold.ts';

/** What `catalog init` writes into the package.json of a catalog. */

const { version } = JSON.parse(read(bundled, 'package.json'));

const packages: [name: string, before: string, after: string][] = [
  [
    'a byte-order mark and four spaces',
    '\ufeff{\n    "scripts": { "start": "mine" }\n}\n\n',
    '\ufeff{\n    "scripts": {\n        "start": "mine"\n    },\n    "dependencies": {\n        "daily-agent-catalog": "2"\n    }\n}\n\n',
  ],
  [
    'the program among its optional dependencies',
    '{"optionalDependencies":{"daily-agent-catalog":"1"}}',
    '{\n  "optionalDependencies": {\n    "daily-agent-catalog": "1"\n  },\n  "scripts": {\n    "start": "catalog serve --build"\n  }\n}',
  ],
  [
    'other dependencies',
    '{\n  "scripts": {\n    "start": "mine"\n  },\n  "dependencies": {\n    "a": "1"\n  }\n}',
    '{\n  "scripts": {\n    "start": "mine"\n  },\n  "dependencies": {\n    "a": "1",\n    "daily-agent-catalog": "2"\n  }\n}',
  ],
];
for (const [name, before, after] of packages) {
  test(`a package.json with ${name} is completed`, () =>
    inFolder((folder) => {
      writeFiles(folder, { 'package.json': before });
      assert.is(prepareCatalog(folder, '2').completed?.text, after);
    }));
}

const specifications: [given: string | undefined, expected: string][] = [
  [undefined, `file:vendor/daily-agent-catalog-${version}.tgz`],
  ['daily-agent-catalog@~1.2', '~1.2'],
  ['github:ada/catalog#v1', 'github:ada/catalog#v1'],
  ['https://example.com/a.tgz', 'https://example.com/a.tgz'],
  ['^1.2.0', '^1.2.0'],
  ['1', '1'],
  ['*', '*'],
  ['1.x || >=2.0.0-rc.1 <3', '1.x || >=2.0.0-rc.1 <3'],
  ['1.2 - 1.4.9', '1.2 - 1.4.9'],
  ['latest', 'latest'],
  ['next', 'next'],
  ['daily-agent-catalog@beta', 'beta'],
  ['ada/catalog#v1', 'ada/catalog#v1'],
  ['ada/catalog.tar-files', 'ada/catalog.tar-files'],
  ['git+ssh://git@github.com:ada/catalog.git', 'git+ssh://git@github.com:ada/catalog.git'],
  ['git@github.com:ada/catalog.git', 'git@github.com:ada/catalog.git'],
  ['npm:@ada/catalog@^1', 'npm:@ada/catalog@^1'],
  ['./package.json', 'file:../work/package.json'],
  ['file:package.json', 'file:../work/package.json'],
];
for (const [given, expected] of specifications) {
  test(`--package ${given} makes the dependency ${expected}`, () => {
    const found = dependencyOn(given, '/anywhere');
    assert.is(found.replace(bundled.slice(1), 'work/'), expected);
  });
}

for (const given of ['foo', 'daily-agent-catalog', 'daily-agent-catalog@', '^one', 'a b', ' 1', '1\u00072', '']) {
  test(`--package ${JSON.stringify(given)} is wrong usage, and nothing is written`, () =>
    inFolder(async (folder) => {
      const { code, stderr } = await catalog(['init', 'new', '--package', given], { cwd: folder });
      assert.is(code, 2);
      const rule = `it has to be a version such as ^${version}, a tag such as next, an address, or the path of a package.`;
      assert.is(stderr, `error: --package is ${JSON.stringify(given)}; ${rule}\n`);
      assert.equal(readdirSync(folder), []);
    }));
}

test('the name of a file in this folder needs ./ before it', () =>
  inFolder(async (folder) => {
    writeFiles(folder, { program: '' });
    const { code, stderr } = await catalog(['init', 'new', '--package', 'program'], { cwd: folder });
    assert.is(code, 2);
    assert.match(stderr, /the path of a package\. Did you mean \.\/program\?\n$/);
  }));

test('the path of a package is relative to the working directory, and written relative to the catalog', async () => {
  await inFolder(async (folder) => {
    // The name that npm pack gives it.
    writeFiles(folder, { 'daily-agent-catalog-1.0.0.tgz': '' });
    const args = ['init', 'new/one', '--package', 'daily-agent-catalog-1.0.0.tgz'];
    const { code, stderr } = await catalog(args, { cwd: folder });
    assert.is(code, 0, stderr);
    const { dependencies } = JSON.parse(read(folder, 'new/one/package.json'));
    assert.is(dependencies['daily-agent-catalog'], 'file:../../daily-agent-catalog-1.0.0.tgz');
  });
});

test('a package.json that only its owner can read stays so', async () => {
  await inFolder(async (folder) => {
    writeFiles(folder, { 'package.json': '{}' });
    chmodSync(join(folder, 'package.json'), 0o600);
    assert.is((await catalog(['init', '--package', '1'], { cwd: folder })).code, 0);
    assert.match(read(folder, 'package.json'), 'catalog serve --build');
    if (process.platform !== 'win32') assert.is(statSync(join(folder, 'package.json')).mode & 0o777, 0o600);
  });
});

test('on Windows, the program is packed for a user whose name has a space', async () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
  const own = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, comspec: '' };
  await inFolder(async (folder) => {
    const npm = `#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = --pack-destination ] && npm_config_pack_destination=$2; shift; done
echo packed > "$npm_config_pack_destination/daily-agent-catalog-${version}.tgz"
`;
    writeFiles(folder, { 'bin/npm': npm });
    chmodSync(join(folder, 'bin/npm'), 0o755);
    mkdirSync(join(folder, 'Ada Lovelace'));
    Object.assign(process.env, {
      PATH: `${join(folder, 'bin')}${delimiter}${own.PATH}`,
      TMPDIR: join(folder, 'Ada Lovelace'),
      comspec: '/bin/sh',
    });
    Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
    try {
      assert.is(String((await ownPackage('{}')).get(`vendor/daily-agent-catalog-${version}.tgz`)), 'packed\n');
    } finally {
      Object.defineProperty(process, 'platform', platform);
      Object.assign(process.env, own);
    }
  });
});

test.run();

import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeCatalog as write } from '../../../src/content/new/write.ts';
import { inFolder, snapshot, writeFiles } from '../../support/catalog.ts';
import { catalog } from '../../support/process.ts';
import { whileFull, whileUnreadable } from '../../support/refusing-disk.ts';
import { init } from '../../support/scaffold.ts';

/** If `catalog init` cannot make a complete catalog, it says why and changes nothing. */

test('all obstacles are listed at once, and nothing is written', async () => {
  await inFolder(async (folder) => {
    writeFiles(folder, { 'README.md': 'Mine.\n', '.github/workflows': 'no folder\n', 'agents/x/agent.md': 'Mine.\n' });
    symlinkSync('nowhere', join(folder, '.gitignore'));
    mkdirSync(join(folder, 'package.json'));
    const before = snapshot(folder);
    const { code, stdout, stderr } = await init(folder);
    assert.is(code, 1);
    assert.is(stdout, '');
    const named = stderr.split('\n').filter((line) => line.startsWith('  '));
    assert.equal(named, [
      '  .gitignore',
      '  .github/workflows (has to be a folder)',
      '  README.md',
      '  package.json (has to be a file)',
    ]);
    assert.equal(snapshot(folder), before);
  });
});

const refused: [name: string, args: string[], code: number, message: RegExp][] = [
  ['a file instead of the folder', ['file'], 1, /file is not a folder/],
  ['a folder within a file', ['file/a/b'], 1, /file is not a folder/],
  ['an empty folder name', [''], 2, /folder name is empty/],
  ['an address that is none', ['a', '--base-url', 'example.com'], 2, /`--base-url` is "example\.com".*http/],
  ['a title of two lines', ['a', '--title', 'a\nb'], 2, /`--title`.*one line/],
  ['a hidden character', ['a', '--publisher', 'a\u200bb'], 2, /`--publisher` cannot be used, column 2/],
  ['a package that is not there', ['a', '--package', './none.tgz'], 1, /none\.tgz, which does not exist/],
  ['a package that is none', ['a', '--package', ' '], 2, /--package is " "/],
  ['a package.json that is no JSON', ['broken'], 1, /package\.json is not well-formed JSON/],
  ['a package.json with scripts that are none', ['wrong'], 1, /`scripts` is "x"; it has to be an object/],
];
for (const [name, args, code, message] of refused) {
  test(`${name} is refused with ${code}, and nothing is written`, async () => {
    await inFolder(async (folder) => {
      writeFiles(folder, {
        file: '',
        'broken/package.json': '{',
        'wrong/package.json': '{"scripts":"x"}',
      });
      const before = snapshot(folder);
      const result = await init(folder, ...args);
      assert.is(result.code, code, result.stderr);
      assert.is(result.stdout, '');
      assert.match(result.stderr, message);
      assert.not.match(result.stderr, 'This is a bug');
      assert.equal(snapshot(folder), before);
      assert.not.ok(existsSync(join(folder, 'a')));
    });
  });
}

test('if the disk refuses in the middle, nothing is left behind, and the message names the file', async () => {
  for (const [denied, message] of [
    ['prompt.txt', /prompt\.txt cannot be written: the disk is full \(ENOSPC\)\. Nothing was left behind/],
    ['package.json', /package\.json cannot be written: the disk is full \(ENOSPC\)\. Nothing was left behind/],
  ] as const) {
    await inFolder(async (folder) => {
      writeFiles(folder, { 'package.json': '{}\n' });
      const args = ['init', '--package', '1', '--cwd', folder];
      const { code, stderr } = await whileFull(denied, () => catalog(args));
      assert.is(code, 1);
      assert.match(stderr, message);
      assert.equal(snapshot(folder), { 'package.json': '{}\n' });
      assert.not.ok(existsSync(join(folder, '.github')));
    });
  }
});

test('a file that appears while others are written stays, and so do folders that were there', () =>
  inFolder((folder) => {
    mkdirSync(join(folder, 'empty'));
    writeFiles(folder, { 'b/mine': 'Mine.\n' });
    const files = new Map(['a', 'empty/a', 'new/a', 'b/a', 'b/mine', 'c'].map((path) => [path, 'New.\n']));
    const message = `${join(folder, 'b/mine')} cannot be written: it already exists, or a file is where its folder should be (EEXIST). Nothing was left behind.`;
    assert.throws(
      () => write(folder, files, null),
      ({ message: said }: Error) => said === message,
    );
    assert.equal(snapshot(folder), { 'b/mine': 'Mine.\n' });
    assert.equal(readdirSync(folder).sort(), ['b', 'empty']);
  }));

test('a new folder into which another program writes meanwhile is named, since it cannot be removed', () =>
  inFolder((folder) => {
    const files = Object.assign(new Map<string, string>(), {
      *[Symbol.iterator](): Generator<[string, string]> {
        yield ['new/a', 'New.\n'];
        writeFiles(folder, { 'new/theirs': 'Theirs.\n', b: 'Theirs.\n' });
        yield ['b', 'New.\n'];
      },
    });
    assert.throws(
      () => write(folder, files, null),
      ({ message }: Error) => message.endsWith(` (EEXIST). Delete what was left behind: ${join(folder, 'new')}.`),
    );
    assert.equal(snapshot(folder), { 'new/theirs': 'Theirs.\n', b: 'Theirs.\n' });
  }));

test('an incomplete installation is reported, and nothing is written', async () => {
  await inFolder(async (folder) => {
    const { code, stderr } = await whileUnreadable('publish.yml', () => catalog(['init', '--cwd', folder]));
    assert.is(code, 1);
    assert.match(stderr, /\.github\/workflows\/publish\.yml is missing from this installation.*Install it again/);
    assert.equal(snapshot(folder), {});
    // npm cannot write, as for a user without a home folder.
    const env = { npm_config_cache: join(import.meta.filename, 'cache'), npm_config_update_notifier: 'false' };
    const unpacked = await catalog(['init', '--cwd', folder], { env });
    assert.match(unpacked.stderr, /npm cannot pack [\s\S]*ENOTDIR[\s\S]*Name a package with --package\.\n$/);
    assert.equal(snapshot(folder), {});
  });
});

test.run();

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, smallSettings, snapshot, temporaryFolder, writeCatalog, writeFiles } from '../support/catalog.ts';
import { catalog } from '../support/process.ts';

/** `catalog build --install-tree`: what it writes, leaves alone and refuses. */

const agents = [
  { slug: 'one', date: '2026-01-01' },
  { slug: 'two', date: '2026-01-02' },
];

/** Keeps the social images, which are the same in all of these catalogs. */
const cache = temporaryFolder();
test.after(() => cache.remove());

const build = (folder: string, ...flags: string[]) =>
  catalog(['build', '--cwd', folder, '--today', '2026-02-01', '--install-tree', 'tree', ...flags], {
    env: { CATALOG_CACHE: cache.path },
  });

test('the tree is written relative to the catalog, again only where it changed, and a hint says what it lacks', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const tree = join(folder, 'tree');
    const { code, stderr } = await build(folder);
    assert.is(code, 0, stderr);
    assert.match(stderr, 'Wrote the install tree into tree: 23 files, 23 changed, 0 removed.\n');
    assert.match(stderr, 'Set `repository` in catalog.config.json, so that its README and plugins name it.\n');
    const readme = readFileSync(join(tree, 'README.md'), 'utf8');
    assert.match(readme, '\nReplace `OWNER/REPOSITORY` with the name of this repository.\n');
    writeFiles(tree, { '.git': 'gitdir: elsewhere\n' });
    const before = snapshot(tree);
    // A killed build leaves a draft, also at the top of the tree.
    const old = {
      'plugins/gone/deep/er/file.md': 'It was withdrawn.\n',
      '.README.md.draft-1': '# Sm',
      'skills/.x.draft-1': '',
    };
    writeFiles(tree, old);
    const again = await build(folder);
    assert.match(again.stderr, 'Wrote the install tree into tree: 23 files, 0 changed, 3 removed.\n');
    assert.equal(snapshot(tree), before);
    assert.equal(readdirSync(join(tree, 'plugins')), ['one', 'two']);
  }));

test('with a repository, the plugins and the README name it, and programs get the facts', () =>
  inFolder(async (folder) => {
    const repository = 'https://github.com/press/prompts';
    writeCatalog(folder, agents, { ...smallSettings, repository });
    const { stdout } = await build(folder, '--format', 'json');
    assert.equal(JSON.parse(stdout).tree, { changed: 23, removed: 0, unchanged: 0, issue: 2, repository });
    assert.is(JSON.parse(readFileSync(join(folder, 'tree/plugins/one/plugin.json'), 'utf8')).repository, repository);
    assert.not.match(readFileSync(join(folder, 'tree/README.md'), 'utf8'), 'OWNER');
  }));

for (const [name, prepare, flags, code, message] of [
  [
    'a folder with other files',
    (folder: string) => writeFiles(join(folder, 'tree'), { 'README.md': 'Mine.\n', 'thesis.txt': 'Mine.\n' }),
    [],
    1,
    /contains thesis\.txt, so it is not an install tree and was not changed\. Name another folder/,
  ],
  ['a file', (folder: string) => writeFiles(folder, { tree: 'Mine.\n' }), [], 1, /tree is a file\. Name a folder/],
  ['the folder of the site', () => {}, ['--out', 'tree'], 2, /tree is the folder of --out, or in it\. Name another/],
  [
    'a link to a folder in the site',
    (folder: string) => {
      mkdirSync(join(folder, 'dist/x'), { recursive: true });
      symlinkSync('dist/x', join(folder, 'tree'));
    },
    [],
    2,
    /tree is the folder of --out, or in it\. Name another folder with --install-tree/,
  ],
  ['a folder in a new site', () => {}, ['--install-tree', 'dist/x'], 2, /dist\/x is the folder of --out, or in it/],
  ['a preview', () => {}, ['--drafts'], 2, /--install-tree does not go with --future or --drafts/],
  [
    'a catalog with an error',
    (folder: string) => rmSync(join(folder, 'agents/two/prompt.txt')),
    [],
    1,
    /two[\s\S]*prompt\.txt/,
  ],
] as const) {
  test(`${name} is refused, and neither the tree nor the site is touched`, () =>
    inFolder(async (folder) => {
      writeCatalog(folder, agents);
      prepare(folder);
      const before = snapshot(folder);
      const result = await build(folder, ...flags);
      assert.is(result.code, code, result.stderr);
      assert.match(result.stderr, message);
      assert.equal(snapshot(folder), before);
    }));
}

test('the tree is written although the site did not change, and into an empty folder', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const env = { CATALOG_CACHE: cache.path };
    const args = ['build', '--cwd', folder, '--today', '2026-02-01'];
    assert.is((await catalog(args, { env })).code, 0);
    mkdirSync(join(folder, 'tree'));
    const { code, stderr } = await catalog([...args, '--install-tree', 'tree'], { env });
    assert.is(code, 0, stderr);
    assert.match(stderr, /\b0 changed, 0 removed \(build/);
    assert.ok(existsSync(join(folder, 'tree/plugins/two/skills/two/SKILL.md')));
  }));

test('the workflow gets the number of the newest agent', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const file = join(folder, 'outputs');
    writeFileSync(file, '');
    const { code } = await catalog(
      ['build', '--cwd', folder, '--today', '2026-02-01', '--install-tree', 'tree', '--format', 'github'],
      { env: { CATALOG_CACHE: cache.path, GITHUB_OUTPUT: file } },
    );
    assert.is(code, 0);
    assert.match(readFileSync(file, 'utf8'), /issue<<(\S+)\n2\n\1\n/);
  }));

test.run();

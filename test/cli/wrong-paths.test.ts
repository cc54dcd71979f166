import { existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, snapshot, writeCatalog, writeFiles } from '../support/catalog.ts';
import { catalog, catalogProcess } from '../support/process.ts';

/** A path that is a file instead of a folder, or a link that leads nowhere: one sentence says what is wrong, and how to fix it. */

/** In a catalog: the file `file`, the link `link` to nothing, the links `loop` and `back` to each other, the link `to-file`. */
function inCatalog(use: (folder: string) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    writeFiles(folder, { file: 'x\n' });
    for (const [name, target] of [
      ['link', 'nowhere'],
      ['loop', 'back'],
      ['back', 'loop'],
      ['to-file', 'file'],
    ] as const)
      symlinkSync(target, join(folder, name));
    await use(folder);
  });
}

/** Paths that no folder can have, and what is wrong with them, in a catalog at `<folder>`. */
const wrong: [path: string, obstacle: string][] = [
  ['file', '<folder>/file is a file.'],
  ['file/x/y', '<folder>/file is a file.'],
  ['to-file/x', '<folder>/to-file is a symbolic link to file, which is a file.'],
  ['link', '<folder>/link is a symbolic link to nowhere, which does not exist.'],
  ['link/x', '<folder>/link is a symbolic link to nowhere, which does not exist.'],
  ['loop', '<folder>/loop is a symbolic link that leads back to itself.'],
];

for (const flag of ['--out', '--install-tree']) {
  for (const [path, obstacle] of wrong) {
    test(`build refuses ${flag} ${path}, and changes nothing`, () =>
      inCatalog(async (folder) => {
        const before = snapshot(folder);
        const { code, stderr } = await catalog(['build', flag, path, '--cwd', folder]);
        const said = stderr.slice(stderr.lastIndexOf('error: ')).replaceAll(folder, '<folder>');
        assert.equal([code, said], [1, `error: ${obstacle} Name a folder with ${flag}.\n`]);
        assert.equal(snapshot(folder), before);
      }));
  }
}

test('serve --build refuses a folder that cannot be made', () =>
  inCatalog(async (folder) => {
    // Node.js looks there for a folder forever.
    if (existsSync('/proc/self')) {
      const { stderr } = await catalog(['build', '--out', '/proc/new/dist', '--cwd', folder]);
      assert.match(stderr, /^error: \/proc\/new cannot be made: \/proc takes no folders\./m);
    }
    const { code, shown } = await catalog(['serve', '--build', '--port', '0', '--out', 'link', '--cwd', folder]);
    assert.is(code, 1);
    assert.match(
      shown,
      `${folder}/link is a symbolic link to nowhere, which does not exist. Name a folder with --out.`,
    );
    assert.not.match(shown, 'This is a bug');
  }));

test('a build still goes to a link to a folder', () =>
  inCatalog(async (folder) => {
    mkdirSync(join(folder, 'nowhere'));
    const { code, stderr } = await catalog(['build', '--out', 'link', '--cwd', folder]);
    assert.is(code, 0, stderr);
    assert.ok(existsSync(join(folder, 'nowhere/build.json')));
    assert.ok(lstatSync(join(folder, 'link')).isSymbolicLink());
  }));

const templates: [name: string, make: (path: string) => void, message: string][] = [
  ['a file', (path) => writeFiles(join(path, '..'), { templates: '' }), 'is a file.'],
  ['a broken link', (path) => symlinkSync('gone', path), 'is a symbolic link to gone, which does not exist.'],
];
for (const [name, make, message] of templates) {
  test(`templates/ that is ${name} is an error of the catalog, also after a build`, () =>
    inCatalog(async (folder) => {
      assert.is((await catalog(['build', '--cwd', folder])).code, 0);
      make(join(folder, 'templates'));
      const expected =
        'templates:1:1  error  template/unknown\n' +
        `  ${join(folder, 'templates')} ${message}\n` +
        '  Make templates/ a folder of your own templates, or remove it.\n';
      for (const command of ['build', 'validate']) {
        const { code, shown } = await catalog([command, '--cwd', folder, '--today', '2026-02-01']);
        assert.is(code, 1);
        assert.match(shown, expected);
      }
    }));
}

test('a template that is a link is an error of the catalog instead of the template of the program, also after a build', () =>
  inCatalog(async (folder) => {
    writeFiles(folder, { 'about.hbs': 'My own page\n', 'templates/404.hbs': 'Lost\n' });
    assert.is((await catalog(['build', '--cwd', folder])).code, 0);
    symlinkSync('../about.hbs', join(folder, 'templates/about.hbs'));
    const { code, shown } = await catalog(['build', '--cwd', folder]);
    assert.is(code, 1);
    const expected =
      'templates/about.hbs:1:1  error  template/unknown\n' +
      '  templates/about.hbs is a symbolic link.\n' +
      '  Replace it with the file or folder that it points to.\n';
    assert.match(shown, expected);
  }));

test('a template that replaces none is taken for a similar name only, in any folder', () =>
  inCatalog(async (folder) => {
    writeFiles(folder, {
      'templates/partials/days.hbs': 'x\n',
      'templates/fotter.hbs': 'x\n',
      'templates/fonts/a.woff2': '',
    });
    const { shown } = await catalog(['build', '--cwd', folder]);
    assert.match(shown, /a\.woff2 is not a TrueType or OpenType font\.\n {2}Convert web fonts/);
    assert.match(shown, /fotter\.hbs does not replace .*\n {2}Did you mean partials\/footer\.hbs\?\n/);
    assert.match(
      shown,
      /days\.hbs does not replace .*\n {2}Rename it to one of these templates, or delete it: 404\.hbs, /,
    );
  }));

/** Other calls with a path where a file is in the way, or a folder is instead of a file, and what they say. */
const calls: [args: string[], env: Record<string, string>, sentence: string][] = [
  [
    ['votes', 'redact', 'x', '--data', 'file'],
    {},
    '<folder>/file/votes.jsonl cannot be used: <folder>/file is a file. Name another path, or move it away.',
  ],
  [['verify', 'loop'], {}, 'loop cannot be used: its symbolic links lead in a circle (ELOOP).'],
  [
    ['validate', '--format', 'github'],
    { GITHUB_STEP_SUMMARY: 'agents' },
    'GITHUB_STEP_SUMMARY (agents) cannot be written: it is a folder, not a file (EISDIR).',
  ],
  [
    ['dev', '--port', '0'],
    { TMPDIR: '<folder>/link' },
    '<folder>/link/catalog-dev-XXXXXX cannot be used: <folder>/link is a symbolic link to nowhere, which does not exist. ' +
      'Name another path, or move it away.',
  ],
  [
    ['dev', '--port', '0'],
    // Node.js 22 and later would make the folder, for the code that they have compiled.
    { TMPDIR: '<folder>/none', NODE_DISABLE_COMPILE_CACHE: '1' },
    '<folder>/none does not exist. Name an existing folder in TMPDIR.',
  ],
];
for (const [args, env, sentence] of calls) {
  test(`one sentence explains ${[...Object.entries(env).flat(), ...args].join(' ')}`, () =>
    inCatalog(async (folder) => {
      const given = Object.fromEntries(
        Object.entries(env).map(([name, path]) => [name, path.replace('<folder>', folder)]),
      );
      // os.tmpdir() reads the environment of the process.
      const call = 'TMPDIR' in env ? catalogProcess : catalog;
      const { code, stderr } = await call(args, { cwd: folder, env: given });
      assert.equal([code, stderr.replaceAll(folder, '<folder>')], [1, `error: ${sentence}\n`]);
    }));
}

for (const command of ['build', 'mcp']) {
  test(`${command} says that a file is no catalog`, () =>
    inCatalog(async (folder) => {
      const { code, stderr } = await catalog([command, '--cwd', join(folder, 'file')]);
      assert.is(code, 1);
      assert.match(
        stderr,
        `catalog.config.json in ${folder}/file cannot be read (ENOTDIR).\n  Run the command in the folder`,
      );
    }));
}

test.run();

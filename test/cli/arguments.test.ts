import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { slugOf } from '../../src/cli/options.ts';
import { inFolder, writeCatalog, writeFiles } from '../support/catalog.ts';
import { catalog } from '../support/process.ts';

/** Agents can be named by slug or path on the command line, from any folder of the catalog. */

/** Makes a catalog with `alpha`, which has no excerpt, and `beta`, which has no problem. */
function withTwo(work: (folder: string) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    writeCatalog(folder, [
      { slug: 'alpha', date: '2026-01-01', front: { excerpt: null } },
      { slug: 'beta', date: '2026-01-02', front: { problem: null } },
    ]);
    await work(folder);
  });
}

async function messages(args: string[], cwd: string): Promise<string[]> {
  const { stdout, stderr } = await catalog(['validate', '--format', 'json', ...args], { cwd });
  assert.is(stderr, '');
  return JSON.parse(stdout).diagnostics.map(({ message }: { message: string }) => message);
}

const ofBeta: [cwd: string, argument: string][] = [
  ['.', 'beta'],
  ['.', 'beta/'],
  ['.', 'agents/beta'],
  ['.', 'agents/beta/'],
  ['.', './agents/beta'],
  ['.', 'agents/beta/agent.md'],
  ['agents', 'beta'],
  ['agents', './beta/prompt.txt'],
  ['agents/beta', '.'],
  ['agents/beta', 'agent.md'],
  ['agents/beta', '../beta'],
  ['agents/alpha', 'beta'],
  ['agents/alpha', 'agents/beta'],
];

test('an agent is named by its slug or a path, from any folder of the catalog', () =>
  withTwo(async (folder) => {
    for (const [cwd, argument] of ofBeta) {
      assert.is(slugOf(argument, folder, join(folder, cwd)), 'beta', `${argument} in ${cwd}`);
    }
    assert.equal(await messages(['agents/beta/'], folder), ['`problem` is missing.']);
    assert.equal(await messages([join(folder, 'agents/beta')], join(folder, 'agents/alpha')), [
      '`problem` is missing.',
    ]);
    assert.is((await messages([], join(folder, 'agents/alpha'))).length, 2);
  }));

test('--cwd is used as it is, without a search in its parents', () =>
  withTwo(async (folder) => {
    const { code, stdout } = await catalog(['validate', '--format', 'json', '--cwd', 'agents'], { cwd: folder });
    assert.is(code, 1);
    assert.is(JSON.parse(stdout).diagnostics[0].code, 'settings/missing');
  }));

test('the nearest name is suggested for an unknown agent', () =>
  withTwo(async (folder) => {
    const { code, stderr } = await catalog(['validate', 'agents/alhpa', 'nothing-like-it'], { cwd: folder });
    assert.is(code, 1);
    assert.is(
      stderr,
      'error: There is no agent alhpa in agents/. Did you mean alpha?\nerror: There is no agent nothing-like-it in agents/.\n',
    );
  }));

test('errors in settings and in agents are reported together', () =>
  withTwo(async (folder) => {
    writeFiles(folder, { 'catalog.config.json': '{ "title": "Two", "categories": [] }\n' });
    const found = await messages([], folder);
    assert.ok(
      found.includes('`categories` is an empty list; it has to be an object of keys and values.'),
      found.join('\n'),
    );
    assert.ok(found.includes('`excerpt` is missing.') && found.includes('`problem` is missing.'));
    assert.not.ok(
      found.some((message) => /`(?:category|difficulty|runtimes)/.test(message) && message.includes('one of')),
    );
  }));

test('new accepts a path too, and finds the catalog that contains it', () =>
  withTwo(async (folder) => {
    const { stdout } = await catalog(['new', 'agents/gamma', '--format', 'json'], { cwd: join(folder, 'agents') });
    assert.is(JSON.parse(stdout).slug, 'gamma');
    assert.ok(existsSync(join(folder, 'agents/gamma/agent.md')));
  }));

test('rename accepts paths too', () =>
  withTwo(async (folder) => {
    const { stdout, stderr } = await catalog(['rename', 'agents/alpha/', './delta', '--format', 'json'], {
      cwd: join(folder, 'agents'),
    });
    assert.is(stderr, '');
    assert.is(JSON.parse(stdout).to, 'delta');
    assert.ok(existsSync(join(folder, 'agents/delta/agent.md')));
  }));

test('build and serve share CATALOG_DIST; --out wins', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
    mkdirSync(join(folder, 'sub'));
    const built = await catalog(['build'], { cwd: join(folder, 'sub'), env: { CATALOG_DIST: 'public' } });
    assert.is(built.code, 0, built.stderr);
    assert.match(built.stderr, / into public: /);
    assert.ok(existsSync(join(folder, 'public/build.json')));
    assert.is((await catalog(['build', '--out', 'own'], { cwd: folder, env: { CATALOG_DIST: 'public' } })).code, 0);
    assert.ok(existsSync(join(folder, 'own/build.json')));
    assert.not.ok(existsSync(join(folder, 'dist')) || existsSync(join(folder, 'sub/dist')));
  }));

test('init accepts a time zone or takes the one of the machine, and suggests the nearest name for a wrong one', () =>
  inFolder(async (folder) => {
    const wrong = await catalog(['init', '--timezone', 'Europe/Berln'], { cwd: folder });
    assert.is(wrong.code, 2);
    assert.match(wrong.stderr, 'Did you mean Europe/Berlin?');
    const right = await catalog(['init', '--package', '1', '--timezone', 'Asia/Tokyo'], { cwd: folder });
    assert.is(right.code, 0, right.stderr);
    const settings = () => JSON.parse(readFileSync(join(folder, 'catalog.config.json'), 'utf8'));
    assert.is(settings().timezone, 'Asia/Tokyo');
    const machines = [
      ['Asia/Tokyo', 'Asia/Tokyo'],
      ['UTC', 'no/where'],
    ] as const;
    const own = process.env.TZ;
    for (const [name, machine] of machines) {
      process.env.TZ = machine;
      const made = await catalog(['init', name, '--package', '1'], { cwd: folder });
      assert.is(made.code, 0, made.stderr);
      const { timezone } = JSON.parse(readFileSync(join(folder, name, 'catalog.config.json'), 'utf8'));
      assert.is(timezone, name, 'by default, days begin when they begin for the editor');
    }
    process.env.TZ = own;
  }));

test.run();

import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryFile, readChecked, writeChecked } from '../../src/build/last-build.ts';
import { programVersion } from '../../src/program.ts';
import { atTime } from '../support/at-time.ts';
import { inFolder, type SmallAgent, snapshot, writeCatalog, writeFiles } from '../support/catalog.ts';
import { git } from '../support/git.ts';
import { goodPrompt } from '../support/good-agent.ts';
import { catalog } from '../support/process.ts';

/** A build that could be the same as the last one: on another day, or after somebody changed dist/. */

interface Built {
  today: string;
  counts: { agents: number };
}

async function build(folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Built> {
  const { code, stdout, stderr } = await catalog(['build', '--cwd', folder, '--format', 'json', ...args], { env });
  assert.is(code, 0, stderr);
  return JSON.parse(stdout);
}

/** Builds a second later: the files of the catalog are then old enough for the next build to trust their stamps. */
const buildLater = (folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  atTime(Date.now() + 1000, () => build(folder, args, env));

const days: [what: string, last: string, time: string, today: string, agents: number][] = [
  ['in the last hour before a day', '2099-03-29', '2099-03-28T22:59:59Z', '2099-03-28', 0],
  ['in the last hour of a day of 23 hours', '2099-03-29', '2099-03-29T21:59:59Z', '2099-03-29', 1],
  ['in the first hour after a day of 23 hours', '2099-03-29', '2099-03-29T22:00:00Z', '2099-03-30', 2],
  ['in the last hour of a day of 25 hours', '2099-10-25', '2099-10-25T22:59:59Z', '2099-10-25', 2],
  ['after a day of 25 hours', '2099-10-25', '2099-10-25T23:00:00Z', '2099-10-26', 3],
];

for (const [what, last, time, today, agents] of days) {
  test(`${what}, a build after one for ${last} is for ${today}`, () =>
    inFolder(async (folder) => {
      const dates = ['2099-03-29', '2099-03-30', '2099-10-26'];
      const dated = dates.map((date): SmallAgent => ({ slug: `on-${date}`, date }));
      writeCatalog(folder, dated, { timezone: 'Europe/Berlin' });
      // At that time, a cache of today is too old to keep.
      const env = { CATALOG_CACHE: join(folder, 'cache') };
      await buildLater(folder, ['--today', last], env);
      const built = await atTime(Date.parse(time), () => build(folder, [], env));
      assert.equal([built.today, built.counts.agents], [today, agents]);
    }));
}

/** Makes dist/ a link to a new folder. */
function linkTo(folder: string, name: string): void {
  mkdirSync(join(folder, name));
  symlinkSync(join(folder, name), join(folder, 'dist'));
}

const damages: [what: string, damage: (folder: string) => void][] = [
  ['a file of dist/ was removed', (folder) => rmSync(join(folder, 'dist/llms.txt'))],
  [
    'a folder of dist/ was replaced by a file',
    (folder) => {
      rmSync(join(folder, 'dist/api'), { recursive: true });
      writeFiles(folder, { 'dist/api': '' });
    },
  ],
  ['a file was added to dist/', (folder) => writeFiles(folder, { 'dist/agents/other.txt': '' })],
  [
    'the link dist/ got another target',
    (folder) => {
      rmSync(join(folder, 'dist'));
      linkTo(folder, 'empty');
    },
  ],
];

for (const [what, damage] of damages) {
  test(`after ${what}, the next build repairs it`, () =>
    inFolder(async (folder) => {
      writeCatalog(folder, []);
      linkTo(folder, 'site');
      const day = ['--today', '2026-01-01'];
      await buildLater(folder, day);
      const whole = snapshot(join(folder, 'dist'));
      damage(folder);
      await build(folder, day);
      const now = snapshot(join(folder, 'dist'));
      const paths = new Set([...Object.keys(whole), ...Object.keys(now)]);
      const wrong = [...paths].filter((path) => now[path] !== whole[path]);
      assert.equal(wrong, []);
    }));
}

test('an agent that was added between builds is built again when its text changes', () =>
  inFolder(async (folder) => {
    const agent = (slug: string): SmallAgent => ({ slug, date: '2026-01-01' });
    const env = { CATALOG_CACHE: join(folder, 'cache') };
    const day = ['--today', '2026-01-02'];
    writeCatalog(folder, [agent('first')]);
    await buildLater(folder, day, env);
    writeCatalog(folder, [agent('first'), { ...agent('second'), date: '2026-01-02' }]);
    await buildLater(folder, day, env);
    const file = join(folder, 'agents/second/sample-input.txt');
    writeFileSync(file, `${readFileSync(file, 'utf8')}Another line.\n`);
    await buildLater(folder, day, env);
    assert.match(readFileSync(join(folder, 'dist/agents/second.md'), 'utf8'), 'Another line.');
  }));

test('an edit of agents, templates or settings that are links to other places is built', () =>
  inFolder(async (folder) => {
    const agent: SmallAgent = { slug: 'first', date: '2026-01-01' };
    const env = { CATALOG_CACHE: join(folder, 'cache') };
    const linked = join(folder, 'catalog');
    const elsewhere = join(folder, 'elsewhere');
    const built = async () => {
      await buildLater(linked, ['--today', '2026-01-01'], env);
      return readFileSync(join(linked, 'dist/index.html'), 'utf8');
    };
    mkdirSync(linked);
    const parts = ['agents', 'templates', 'catalog.config.json'];
    for (const part of parts) symlinkSync(join(elsewhere, part), join(linked, part));
    writeCatalog(elsewhere, [agent]);
    writeFiles(elsewhere, { 'templates/partials/footer.hbs': 'The end' });
    assert.match(await built(), 'The end');
    writeCatalog(elsewhere, [{ ...agent, front: { title: 'A new title' } }]);
    assert.match(await built(), 'A new title');
    writeCatalog(elsewhere, [], { title: 'A new name' });
    assert.match(await built(), 'A new name');
    writeFiles(elsewhere, { 'templates/partials/footer.hbs': 'A new end' });
    assert.match(await built(), 'A new end');
  }));

test('after git failed, the next build looks for the history again', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'first', date: '2026-01-01' }]);
    await git(folder, 'init', '--quiet');
    await git(folder, 'add', 'agents');
    await git(folder, 'commit', '--quiet', '--message', 'Start');
    const missing = async () => {
      const args = ['build', '--cwd', folder, '--today', '2026-01-01'];
      const env = { CATALOG_CACHE: join(folder, 'cache') };
      const { stderr } = await atTime(Date.now() + 1000, () => catalog(args, { env }));
      return stderr.includes('The pages cannot show how prompts changed');
    };
    const objects = join(folder, '.git/objects');
    renameSync(objects, `${objects}-away`);
    assert.is(await missing(), true);
    renameSync(`${objects}-away`, objects);
    assert.is(await missing(), false);
  }));

test('a build with GIT_DIR, of which no stamp is known, reads the history again each time', () =>
  inFolder(async (folder) => {
    const agent: SmallAgent = { slug: 'first', date: '2026-01-01' };
    const env = { CATALOG_CACHE: join(folder, 'cache'), GIT_DIR: join(folder, '.git') };
    const built = async (files: SmallAgent['files'] = {}) => {
      writeCatalog(folder, [{ ...agent, files }]);
      await git(folder, 'add', 'agents');
      await git(folder, 'commit', '--quiet', '--message', 'A change');
      await buildLater(folder, ['--today', '2026-01-01'], env);
      const { agents } = JSON.parse(readFileSync(join(folder, 'dist/api/revisions.json'), 'utf8'));
      return agents[0].prompts.length;
    };
    await git(folder, 'init', '--quiet');
    assert.is(await built(), 1);
    assert.is(await built({ 'prompt.txt': goodPrompt.replace('Find', 'Look for') }), 2);
    assert.is(await built({ 'prompt.txt': goodPrompt.replace('Find', 'Search for') }), 3);
  }));

test('after the program was updated, the cache of the old version does not stop a build', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'first', date: '2026-01-01' }]);
    const env = { CATALOG_CACHE: join(folder, 'cache') };
    const day = ['--today', '2026-01-01'];
    await buildLater(folder, day, env);
    const file = memoryFile(env.CATALOG_CACHE, join(folder, 'dist'), 'unchanged');
    const { options, ...last } = readChecked(file) as Record<string, unknown>;
    // Stamps had another form in the old version.
    const old = { ...last, options: String(options).replace(programVersion, '0.0.1'), inputs: [], outputs: [] };
    writeChecked(file, old);
    const built = await build(folder, day, env);
    assert.is(built.counts.agents, 1);
  }));

test.run();

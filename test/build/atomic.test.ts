import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renderCatalog } from '../../src/build/build.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { main } from '../../src/main.ts';
import { followBuild } from '../../src/server/build-follower.ts';
import { siteRules } from '../../src/site/hosting/site-rules.ts';
import { findPending, readPublished } from '../../src/storage/build-folder.ts';
import { bundleModule } from '../../tools/bundle-module.ts';
import { inFolder, type SmallAgent, snapshot, temporaryFolder, writeCatalog, writeFiles } from '../support/catalog.ts';
import { dieAt } from '../support/die-at.ts';
import { putLock } from '../support/lock.ts';
import { loud } from '../support/loud.ts';
import { bin, catalog, catalogProcess, run } from '../support/process.ts';
import { writeBuild } from '../support/write-build.ts';

/** Readers of dist/ rely on this: every file is complete at any moment, and a failed build changes nothing. */

const before: SmallAgent[] = [
  { slug: 'kept', date: '2026-01-01' },
  { slug: 'changed', date: '2026-01-02' },
  { slug: 'removed', date: '2026-01-03' },
];
const after: SmallAgent[] = [
  { slug: 'kept', date: '2026-01-01' },
  { slug: 'changed', date: '2026-01-02', files: { 'sample-output.txt': 'Another line.\n' } },
  { slug: 'added', date: '2026-01-03' },
];
const build = (folder: string) => catalog(['build', '--cwd', folder, '--today', '2026-02-01']);
const killer = fileURLToPath(new URL('../support/kill-at.mjs', import.meta.url));

const killed = bundleModule(new URL('../support/write-killed.mjs', import.meta.url));
type Files = Record<string, string>;

/** Both states as catalogs with builds, old/ and new/: tests change copies of them. */
const made = temporaryFolder();
let states: { old: Files; new: Files };
test.before(
  loud(async () => {
    states = await bothStates(made.path);
  }),
);
test.after(() => made.remove());

/** Runs `use` with a copy of the old catalog and its build. */
const withOld = (use: (folder: string, dist: string) => Promise<void>) =>
  inFolder((folder) => {
    linkFolder(join(made.path, 'old'), join(folder, 'old'));
    return use(folder, join(folder, 'old', 'dist'));
  });

/** The files of both states by path. The new ones are in the order in which a build moves them into place. */
async function bothStates(folder: string): Promise<{ old: Files; new: Files }> {
  for (const [name, agents] of [
    ['old', before],
    ['new', after],
  ] as const) {
    writeCatalog(join(folder, name), agents);
    const built = await build(join(folder, name));
    assert.is(built.code, 0, built.stderr);
  }
  const { rendered: built } = renderCatalog({
    cwd: join(folder, 'new'),
    settings: loadSettings(join(folder, 'new'), {}, {}),
    today: '2026-02-01',
  });
  const rendered = Object.fromEntries([...built.files].map(([path, bytes]) => [path, bytes.toString('latin1')]));
  assert.equal(snapshot(join(folder, 'new', 'dist')), rendered);
  return { old: snapshot(join(folder, 'old', 'dist')), new: rendered };
}

/**
 * Writes the new build repeatedly, killed at the first call that changes the disk, then at the second, and so on, until
 * one succeeds. After each kill, `check` gets the folder, and the next write must complete it. Returns the number of
 * kills.
 */
async function killAtEachStep(folder: string, from: string | null, check: (dist: string) => void | Promise<void>) {
  writeFiles(folder, { 'new.json': JSON.stringify(states.new) });
  const files = new Map(Object.entries(states.new).map(([path, bytes]) => [path, Buffer.from(bytes, 'latin1')]));
  const attempt = async (step: number) => {
    const dist = join(folder, `at-${step}`, 'dist');
    mkdirSync(join(folder, `at-${step}`));
    if (from !== null) linkFolder(from, dist);
    const ended =
      step % everySoOften === 1 ? await killProcess(dist, step) : dieAt(step, () => writeBuild(dist, files));
    await check(dist);
    writeBuild(dist, files);
    assert.equal(snapshot(dist), states.new);
    assert.equal(readdirSync(join(folder, `at-${step}`)), ['dist']);
    rmSync(join(folder, `at-${step}`), { recursive: true });
    return ended;
  };
  const killProcess = async (dist: string, step: number) => {
    const args = ['--import', killer, killed, dist, join(folder, 'new.json')];
    const { signal, stderr } = await run(process.execPath, args, { env: { KILL_AT: String(step) } });
    assert.is(stderr, '');
    return signal === 'SIGKILL';
  };
  let kills = 0;
  for (let step = 1; await attempt(step); step += step < allUpTo ? 1 : 7) kills += 1;
  return kills;
}

/** Copies a folder with hard links: a build replaces files, and never writes into them. */
function linkFolder(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true, recursive: true })) {
    const path = join(relative(from, entry.parentPath), entry.name);
    if (entry.isDirectory()) mkdirSync(join(to, path), { recursive: true });
    else {
      mkdirSync(dirname(join(to, path)), { recursive: true });
      linkSync(join(from, path), join(to, path));
    }
  }
}

/** Every step up to this one is tested, then every seventh: the later ones repeat the same for one file after another. */
const allUpTo = 30;

/** One in this many kills is real, in another process. The others are simulated. */
const everySoOften = 25;

test('if a build is killed at any step, dist/ has only complete files, and the next build completes it', async () => {
  await inFolder(async (folder) => {
    const served = new Set<string>();
    const kills = await killAtEachStep(folder, join(made.path, 'old', 'dist'), async (dist) => {
      const now = snapshot(dist);
      for (const [path, bytes] of Object.entries(now)) {
        assert.ok(
          bytes === states.old[path] || bytes === states.new[path],
          `${path} is neither the old nor the new one`,
        );
      }
      for (const path of Object.keys(states.old)) {
        if (path in states.new) assert.ok(path in now, `${path} is missing`);
      }
      const listed = JSON.parse(now['api/agents.json'] ?? '').agents as { slug: string }[];
      for (const { slug } of listed) assert.ok(`agents/${slug}.html` in now, `${slug} is listed but not there`);
      if (now['build.json'] === states.new['build.json']) assert.equal(now, states.new);
      served.add(await servedState(dist));
    });
    assert.ok(kills > 30, `only ${kills} kills`);
    assert.equal([...served], ['old', 'new']);
  });
});

/** Returns the build that a server serves when started on a folder. Every file must belong to it. */
async function servedState(dist: string): Promise<'old' | 'new'> {
  const follower = await followBuild(dist, siteRules, pino({ level: 'silent' }));
  try {
    const { info, files, slugs } = follower.current();
    assert.equal(new Set(readPublished(dist).titles.keys()), slugs, 'reports read another build');
    const state = info.id === JSON.parse(states.new['build.json'] ?? '').id ? 'new' : 'old';
    const wrong: string[] = [];
    for (const path of Object.keys({ ...states.old, ...states.new })) {
      if (siteRules.contentType(path) === undefined) continue;
      const file = await files.get(path);
      const bytes = file === null || file === 'large' ? undefined : file.bytes.toString('latin1');
      if (bytes !== states[state][path]) wrong.push(path);
    }
    assert.equal(wrong, [], `served as the ${state} build, but not of it`);
    assert.equal([...slugs].sort(), state === 'new' ? ['added', 'changed', 'kept'] : ['changed', 'kept', 'removed']);
    return state;
  } finally {
    follower.stop();
  }
}

test('a running server serves a build whose process was killed while it moved the files into place', async () => {
  await withOld(async (_folder, dist) => {
    const follower = await followBuild(dist, siteRules, pino({ level: 'silent' }));
    try {
      const files = new Map(Object.entries(states.new).map(([path, bytes]) => [path, Buffer.from(bytes, 'latin1')]));
      // The kill is in the middle of the renames.
      assert.ok(dieAt(files.size + 20, () => writeBuild(dist, files)));
      assert.is.not(readFileSync(join(dist, 'build.json'), 'latin1'), states.new['build.json']);
      await follower.refresh();
      assert.equal([...follower.current().slugs].sort(), ['added', 'changed', 'kept']);
      const live = follower.current();
      writeBuild(dist, files);
      await follower.refresh();
      assert.is(follower.current(), live);
      assert.is(await servedState(dist), 'new');
    } finally {
      follower.stop();
    }
  });
});

test('reports and deployments read a killed build as the server does', async () => {
  await withOld(async (folder, dist) => {
    const files = new Map(Object.entries(states.new).map(([path, bytes]) => [path, Buffer.from(bytes, 'latin1')]));
    assert.ok(dieAt(files.size + 20, () => writeBuild(dist, files)));
    assert.equal([...readPublished(dist).titles.keys()].sort(), ['added', 'changed', 'kept']);
    const host = join(folder, 'host');
    const sent = await catalog(['deploy', `catalog@host.example:${host}`, '--out', dist, '--ssh', 'sh -c']);
    assert.is(sent.code, 0, sent.stderr);
    assert.equal(snapshot(join(host, 'dist')), states.new);
  });
});

test('a pending build for another state of the folder is ignored and removed', async () => {
  await withOld(async (folder, dist) => {
    const filesOf = (state: Files) =>
      new Map(Object.entries(state).map(([path, bytes]) => [path, Buffer.from(bytes, 'latin1')]));
    assert.ok(dieAt(filesOf(states.new).size + 20, () => writeBuild(dist, filesOf(states.new))));
    // Someone replaces the folder with another build, for example from a backup.
    rmSync(dist, { recursive: true });
    writeFiles(dist, { 'build.json': `${states.old['build.json']} ` });
    assert.is(findPending(dist), null);
    writeBuild(dist, filesOf(states.old));
    assert.is(await servedState(dist), 'old');
    assert.not(readdirSync(join(folder, 'old')).some((name) => name.startsWith('.dist')));
  });
});

test('if a first build is killed at any step, dist/ is missing or complete', async () => {
  await inFolder(async (folder) => {
    const kills = await killAtEachStep(folder, null, (dist) => {
      if (existsSync(dist)) assert.equal(snapshot(dist), states.new);
    });
    assert.ok(kills > 10, `only ${kills} kills`);
  });
});

test('a build leaves nothing next to dist/, even if an earlier one was killed', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, before);
    const args = ['build', '--cwd', folder, '--today', '2026-02-01'];
    await catalogProcess(args, { node: ['--import', killer], env: { KILL_AT: '24' } });
    assert.ok(readdirSync(folder).some((name) => name.startsWith('.dist.staging-')));
    assert.is((await build(folder)).code, 0);
    assert.equal(readdirSync(folder).sort(), ['agents', 'catalog.config.json', 'dist']);
  });
});

for (const [name, host, added] of [
  ['dist', hostname(), []],
  // The lock of a machine or container that is gone looks like this one, and takes a minute to be taken over.
  ['dist', 'elsewhere', []],
  ['tree', hostname(), ['--install-tree', 'tree']],
] as const) {
  test(`two builds at once, here and on ${host}, never leave a mix in ${name}/: the second one names the first, and waits until it has finished`, () =>
    inFolder(async (folder) => {
      writeCatalog(folder, before);
      const args = [process.execPath, bin, 'build', '--cwd', folder, '--today', '2026-02-01', ...added];
      const { pid, since } = await putLock(join(folder, `.${name}`), { host });
      let said = '';
      const errors = new Writable({
        write(chunk, _encoding, done) {
          said += chunk;
          // Until then, the other build was writing other files.
          if (String(chunk).includes('Waiting')) {
            assert.not(existsSync(join(folder, name)));
            rmSync(join(folder, 'agents/removed'), { recursive: true });
            writeCatalog(folder, after, { title: 'Title of that moment' });
            rmSync(join(folder, `.${name}.lock`));
          }
          done();
        },
      });
      assert.is(await main(args, new Writable({ write: (_chunk, _encoding, done) => done() }), errors), 0, said);
      const path = join(folder, name);
      const other = `Another build or deployment is using ${path} (process ${pid} on ${host}, since ${since}).`;
      assert.ok(said.includes(`${other} Waiting until it has finished.\n`), said);
      assert.equal([...readPublished(join(folder, 'dist')).titles.keys()].sort(), ['added', 'changed', 'kept']);
      assert.match(readFileSync(join(folder, 'dist/index.html'), 'utf8'), 'Title of that moment');
      assert.equal(
        readdirSync(folder).filter((each) => each.startsWith('.')),
        [],
      );
    }));
}

test('a build does not wait for one that was killed', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, before);
    await putLock(join(folder, '.dist'), { started: 'earlier' });
    const { code, stderr } = await build(folder);
    assert.is(code, 0, stderr);
    assert.not.match(stderr, 'Waiting');
    assert.not(existsSync(join(folder, '.dist.lock')));
  }));

test.run();

import { cpSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OperationError } from '../../src/lib/errors.ts';
import { followBuild } from '../../src/server/build-follower.ts';
import { siteRules } from '../../src/site/hosting/site-rules.ts';
import { BuildFolder, completePending } from '../../src/storage/build-folder.ts';
import { inFolder, snapshot, writeFiles } from '../support/catalog.ts';
import { ask } from '../support/requests.ts';
import { builtCatalog, oneAgent, withRuntime } from '../support/server.ts';
import { withStillClock } from '../support/until.ts';

/** Which build a server follows while files are being put in place, and what it says of each. */

const twoAgents = [...oneAgent, { slug: 'two', date: '2026-01-02' }];
const threeAgents = [...twoAgents, { slug: 'three', date: '2026-01-03' }];

/** Follows the build of one agent in `folder`/dist, with what is logged. */
async function follow(folder: string, dist = join(folder, 'dist')) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const follower = await followBuild(dist, siteRules, log);
  follower.stop();
  const slugs = () => [...follower.current().slugs].sort();
  return { ...follower, slugs, lines };
}

/** Makes the build of `next` a pending one of `dist`: all of its files are staged, and none is in place. */
function stage(folder: string, next: string, removed: string[] = []) {
  const build = new BuildFolder(join(folder, 'dist'));
  cpSync(next, build.staged, { recursive: true });
  build.commit({ moved: Object.keys(snapshot(next)), removed });
}

const idOf = (dist: string) => JSON.parse(readFileSync(join(dist, 'build.json'), 'utf8')).id;

test('a pending build is served from where it is staged, and is not loaded again once its files are in place', () =>
  inFolder(async (folder) => {
    const dist = builtCatalog(folder);
    const second = builtCatalog(join(folder, 'b'), twoAgents);
    const third = builtCatalog(join(folder, 'c'), threeAgents);
    const ids = [dist, second, third].map(idOf);
    const { refresh, current, slugs, lines } = await follow(folder);
    const before = current();
    await refresh();
    assert.is(current(), before);

    stage(folder, second, ['llms.txt']);
    await refresh();
    const staged = current();
    assert.equal([slugs(), staged.info.id], [['one', 'two'], ids[1]]);
    assert.equal([await staged.files.get('llms.txt'), (await staged.files.get('feed.xml')) === null], [null, false]);
    completePending(dist);
    await refresh();
    assert.is(current(), staged);

    stage(folder, third);
    await refresh();
    assert.equal([slugs(), current().info.id], [['one', 'three', 'two'], ids[2]]);
    completePending(dist);
    await refresh();
    const switched = (from: number, to: number, agents: number) => ({
      level: 30,
      build: ids[to],
      before: ids[from],
      agents,
      msg: 'switched to a new build',
    });
    assert.equal(lines, [switched(0, 1, 2), switched(1, 2, 3)]);
  }));

for (const isInPlace of [false, true]) {
  test(`after a build that was staged, the next one is served, ${isInPlace ? 'in place' : 'staged'}`, () =>
    inFolder(async (folder) => {
      const dist = builtCatalog(folder);
      const second = builtCatalog(join(folder, 'b'), twoAgents);
      const third = builtCatalog(join(folder, 'c'), threeAgents);
      const { refresh, slugs } = await follow(folder);
      stage(folder, second);
      await refresh();
      completePending(dist);
      stage(folder, third);
      if (isInPlace) completePending(dist);
      await refresh();
      assert.equal(slugs(), ['one', 'three', 'two']);
    }));
}

test('after a build that was staged, a link that is switched to another copy of it is followed', () =>
  inFolder(async (folder) => {
    const dist = builtCatalog(folder);
    const second = builtCatalog(join(folder, 'b'), twoAgents);
    const link = join(folder, 'link');
    symlinkSync(dist, link);
    const { refresh, current } = await follow(folder, link);
    stage(folder, second);
    await refresh();
    completePending(dist);
    rmSync(link);
    symlinkSync(second, link);
    rmSync(dist, { recursive: true });
    await refresh();
    assert.is.not(await current().files.get('feed.xml'), null);
  }));

test('a reader who asks while a build is being loaded gets that build too', () =>
  inFolder(async (folder) => {
    builtCatalog(folder);
    const { refresh, slugs } = await follow(folder);
    builtCatalog(folder, twoAgents);
    void refresh();
    await refresh();
    assert.equal(slugs(), ['one', 'two']);
  }));

test('a file of more than 8 MiB that a pending build keeps is read where it is', () =>
  inFolder(async (folder) => {
    const dist = builtCatalog(folder);
    const second = builtCatalog(join(folder, 'b'), undefined, { title: 'Another Title' });
    const agents = join(dist, 'api/agents.json');
    writeFileSync(agents, readFileSync(agents, 'utf8').padEnd(8 * 1024 * 1024 + 1));
    rmSync(join(second, 'api/agents.json'));
    const { refresh, current } = await follow(folder);
    stage(folder, second);
    await refresh();
    assert.equal([current().info.id, current().mcp.agents.length], [idOf(second), 1]);
  }));

test('a build that is written anew is loaded anew', () =>
  inFolder(async (folder) => {
    const dist = builtCatalog(folder);
    const { refresh, current } = await follow(folder);
    const before = current();
    const file = join(dist, 'build.json');
    writeFileSync(file, `${readFileSync(file, 'utf8')} `);
    await refresh();
    assert.is.not(current(), before);
    assert.is(current().info.id, before.info.id);
  }));

test('a new build that cannot be served is logged, and the last good one stays', () =>
  inFolder(async (folder) => {
    const dist = builtCatalog(folder);
    const { refresh, current, lines } = await follow(folder);
    const before = current();
    writeFileSync(join(dist, 'api/agents.json'), '{"agents":[]}');
    writeFileSync(join(dist, 'build.json'), `${readFileSync(join(dist, 'build.json'), 'utf8')} `);
    await refresh();
    await refresh();
    assert.is(current(), before);
    const [{ level, build, msg, err } = {}] = lines;
    assert.equal(
      [level, build, msg],
      [50, before.info.id, 'the new build cannot be served; still serving the last good one'],
    );
    assert.match((err as Error).message, '(api/agents.json is from another build)');
    assert.is(lines.length, 1);
  }));

test('a build that could not be read is served once it can, also if nothing else about it changes', () =>
  withStillClock((later) =>
    inFolder(async (folder) => {
      const dist = builtCatalog(folder);
      const { refresh, slugs, lines } = await follow(folder);
      builtCatalog(folder, twoAgents);
      const index = join(dist, 'search-index.json');
      renameSync(index, `${index}.away`);
      await refresh();
      renameSync(`${index}.away`, index);
      later(9_999);
      await refresh();
      assert.equal(slugs(), ['one']);
      later(1);
      await refresh();
      assert.equal(slugs(), ['one', 'two']);
      assert.equal(
        lines.map(({ msg }) => msg),
        ['the new build cannot be served; still serving the last good one', 'switched to a new build'],
      );
    }),
  ));

test('a build that stays broken is logged once', () =>
  withStillClock((later) =>
    inFolder(async (folder) => {
      const dist = builtCatalog(folder);
      const { refresh, lines } = await follow(folder);
      rmSync(dist, { recursive: true });
      for (let count = 0; count < 3; count += 1) {
        await refresh();
        later(10_000);
      }
      assert.is(lines.length, 1);
    }),
  ));

const next =
  'Run `npx --no daily-agent-catalog build` first, or start with `npx --no daily-agent-catalog serve --build`.';
const none: [name: string, change: (dist: string) => void, problem: string][] = [
  ['there is no folder', (dist) => rmSync(dist, { recursive: true }), 'has no build'],
  ['there is no build.json', (dist) => rmSync(join(dist, 'build.json')), 'has no build'],
  [
    'build.json is invalid',
    (dist) => writeFiles(dist, { 'build.json': '{}' }),
    'has no build that can be served (build.json was not written by catalog build)',
  ],
];
for (const [name, change, problem] of none) {
  test(`a server does not start where ${name}, and says what to do`, () =>
    inFolder(async (folder) => {
      const dist = builtCatalog(folder);
      change(dist);
      const error = await follow(folder).catch((thrown) => thrown);
      assert.instance(error, OperationError);
      assert.is(error.message, `${dist} ${problem}. ${next}`);
    }));
}

test('at the start, files of two builds are served with a warning', () =>
  inFolder(async (folder) => {
    const dist = builtCatalog(folder);
    writeFileSync(join(dist, 'api/agents.json'), '{"agents":[]}');
    const { lines, slugs } = await follow(folder);
    assert.equal(slugs(), []);
    const msg = `${dist} contains files of two builds. Run \`npx --no daily-agent-catalog build\` to complete it.`;
    assert.equal(lines, [{ level: 40, msg }]);
  }));

test('a page that is not found is 404, even if the build has lost the page that says so', () =>
  withRuntime({}, async ({ server: { address }, dist }) => {
    rmSync(join(dist, '404.html'));
    const { status, headers, text } = await ask(address, '/nothing');
    assert.equal([status, headers['cache-control'], text], [404, 'no-store', '']);
  }));

test('without a server address, the operations are below the base URL', () =>
  withRuntime({ settings: { baseUrl: 'https://press.example/my.catalog', runtimeUrl: null } }, async ({ server }) => {
    const { status, headers } = await ask(server.address, '/my.catalog/api/feedback');
    assert.equal([status, headers.allow], [405, 'POST, OPTIONS']);
    for (const path of ['/api/feedback', '/my-catalog/api/feedback']) {
      assert.is((await ask(server.address, path)).status, 404, path);
    }
  }));

test.run();

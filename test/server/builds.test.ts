import { cpSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { catalog, catalogProcess } from '../support/process.ts';
import { paths, startReading } from '../support/reading.ts';
import { ask } from '../support/requests.ts';
import { builtCatalog, type ServerHere, startRuntime, withRuntime } from '../support/server.ts';
import { until } from '../support/until.ts';
import { notesIn, vote } from '../support/voting.ts';

/** The server switches to a new build without failing a request, and never mixes two builds in an answer. */

const twoAgents = (title: string) => [
  {
    slug: 'one',
    date: '2026-01-01',
    front: { title, excerpt: `Was ${title}. ${'It holds more. '.repeat(title.length)}` },
  },
  { slug: 'two', date: '2026-01-02' },
];

/** The id of the build in a folder. */
function idOf(dist: string): string {
  return JSON.parse(readFileSync(join(dist, 'build.json'), 'utf8')).id;
}

const inPlace: [base: string, titles: string[]][] = [
  ['', ['First', 'The second title']],
  ['/catalog', ['First']],
];
for (const [base, titles] of inPlace) {
  test(`under load, a build that is renamed into place file by file neither fails nor mixes an answer, below ${base || '/'}`, () => {
    const settings = { baseUrl: `https://press.example${base}` };
    return withRuntime({ settings }, async ({ server, folder, dist, log }) => {
      const load = startReading(server.address, base);
      await until(() => load.count() > 100);
      for (const [index, title] of titles.entries()) {
        const agents = [...twoAgents(title), { slug: `new-${index}`, date: `2026-01-1${index}` }];
        writeCatalog(folder, agents, settings);
        const before = load.count();
        // The build runs in another process, because here it would block the readers.
        const args = ['build', '--cwd', folder, '--out', dist, '--today', '2026-02-01'];
        const { code, stderr } = await catalogProcess(args);
        assert.is(code, 0, stderr);
        const { status, text } = await vote(server.address, `vote ${index}`, { slug: `new-${index}` });
        assert.is(status, 200, text);
        await until(() => load.builds.has(idOf(dist)) && load.count() > before + 200);
      }
      await load.stop();
      assert.is(load.builds.size, titles.length + 1);
      assert.is(notesIn(log).length, titles.length);
      const page = await ask(server.address, `${base}/agents/new-${titles.length - 1}`);
      assert.is(page.status, 200);
    });
  });
}

/** Runs `use` with a server whose dist/ is a link to the folder build-0. */
async function withLinkedBuild(
  use: (runtime: { folder: string; dist: string; server: ServerHere }) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const dist = builtCatalog(folder);
    renameSync(dist, join(folder, 'build-0'));
    symlinkSync('build-0', dist);
    const server = await startRuntime(folder);
    try {
      await use({ folder, dist, server });
    } finally {
      await server.stop();
    }
  });
}

test('under load, a build that is switched by a link neither fails nor mixes an answer, and its agent is known at once', () =>
  withLinkedBuild(async ({ folder, dist, server }) => {
    const load = startReading(server.address);
    await until(() => load.count() > 100);
    const last = 4;
    const folders = Array.from({ length: last + 1 }, (_, index) => join(folder, `build-${index}`));
    for (let index = 1; index <= last; index += 1) {
      const next = String(folders[index]);
      writeCatalog(folder, [
        ...twoAgents(`Title ${'t'.repeat(index * 3)}`),
        { slug: `new-${index}`, date: '2026-01-20' },
      ]);
      rmSync(join(folder, `agents/new-${index - 1}`), { recursive: true, force: true });
      await catalog(['build', '--cwd', folder, '--out', next, '--today', '2026-02-01']);
      symlinkSync(`build-${index}`, join(folder, 'link'));
      // The switch: from here on, every reader gets the new build.
      renameSync(join(folder, 'link'), dist);
      const first = index % 2 === 0 ? await vote(server.address, 'at once', { slug: `new-${index}` }) : null;
      const page = await ask(server.address, `/agents/new-${index}`);
      assert.equal([page.status, first?.status ?? 200], [200, 200], `switch ${index}`);
      await until(() => load.builds.has(idOf(next)));
    }
    await load.stop();
    assert.is(load.builds.size, last + 1);
  }));

test('no reader gets 404 if the folder of the old build is removed right after the switch', () =>
  withLinkedBuild(async ({ folder, dist, server }) => {
    cpSync(join(folder, 'build-0'), join(folder, 'build-1'), { recursive: true });
    symlinkSync('build-1', join(folder, 'link'));
    renameSync(join(folder, 'link'), dist);
    rmSync(join(folder, 'build-0'), { recursive: true });
    const answers = await Promise.all(paths.map((path) => ask(server.address, path)));
    assert.equal(
      answers.map(({ status }) => status),
      paths.map(() => 200),
    );
  }));

const faults: [string, (dist: string) => void][] = [
  ['build.json is cut in half', (dist) => cut(join(dist, 'build.json'))],
  ['build.json is an empty file', (dist) => writeFileSync(join(dist, 'build.json'), '')],
  ['build.json is null', (dist) => writeFileSync(join(dist, 'build.json'), 'null')],
  [
    'build.json holds no base URL',
    (dist) => writeFileSync(join(dist, 'build.json'), '{"id":"x","counts":{"agents":1}}'),
  ],
  ['api/agents.json is missing', (dist) => withoutList(dist)],
  ['the list of agents is of another build', (dist) => otherList(dist)],
  ['all of it is removed', (dist) => rmSync(dist, { recursive: true })],
  ['it is a link to itself', (dist) => linkToItself(dist)],
];

function cut(file: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, text.length >> 1));
}

function touch(file: string): void {
  writeFileSync(file, `${readFileSync(file, 'utf8')} `);
}

function withoutList(dist: string): void {
  rmSync(join(dist, 'api/agents.json'));
  touch(join(dist, 'build.json'));
}

function linkToItself(dist: string): void {
  rmSync(dist, { recursive: true });
  symlinkSync('dist', dist);
}

function otherList(dist: string): void {
  writeFileSync(join(dist, 'api/agents.json'), '{"agents":[]}');
  touch(join(dist, 'build.json'));
}

test('a broken build is refused and logged, the last good one stays, and the next good one is served', () =>
  withRuntime({}, async ({ server, folder, dist, log }) => {
    const read = paths.filter((path) => path !== '/build.json');
    const good = idOf(dist);
    const copy = join(folder, 'copy');
    cpSync(dist, copy, { recursive: true });
    for (const [name, breakIt] of faults) {
      const told = () => (server.logged().match(/still serving the last good one/g) ?? []).length;
      const before = told();
      for (const path of read) assert.is((await ask(server.address, path)).status, 200);
      breakIt(dist);
      await until(() => told() > before);
      const { status } = await vote(server.address, name);
      assert.is(status, 200, name);
      for (const path of read) assert.is((await ask(server.address, path)).status, 200, `${name}: ${path}`);
      assert.is(JSON.parse((await ask(server.address, '/healthz')).text).build, good, name);
      rmSync(dist, { recursive: true, force: true });
      cpSync(copy, dist, { recursive: true });
      const retaken = () => (server.logged().match(/switched to a new build/g) ?? []).length;
      const taken = retaken();
      await until(() => retaken() > taken);
    }
    assert.equal(
      notesIn(log),
      faults.map(([name]) => name),
    );
    assert.equal(readdirSync(copy).length, readdirSync(dist).length);
  }));

test.run();

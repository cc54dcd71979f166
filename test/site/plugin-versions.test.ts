import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { build, renderCatalog } from '../../src/build/build.ts';
import { treeWriter } from '../../src/build/write.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { installTree } from '../../src/site/install/plugins.ts';
import { smallSettings, temporaryFolder, writeCatalog, writeFiles } from '../support/catalog.ts';
import { git } from '../support/git.ts';
import { loud } from '../support/loud.ts';

/**
 * The versions of plugins over the life of a catalog whose install tree is committed to the branch `install`. Each test
 * continues where the previous one ended.
 */

const folder = temporaryFolder();
const catalog = join(folder.path, 'catalog');
const tree = join(folder.path, 'install');
/** Every archive that was ever published, with its digest. */
const published = new Map<string, string>();

const agents = [
  { slug: 'one', date: '2026-11-01', front: { issue: '1' } },
  { slug: 'two', date: '2026-11-02', front: { issue: '2' } },
];

test.before(
  loud(async () => {
    writeCatalog(catalog, agents, smallSettings);
    await git(catalog, 'init', '--quiet', '--initial-branch', 'main');
    await save('Start the catalog');
    await git(catalog, 'worktree', 'add', '--quiet', '--detach', tree);
    await git(tree, 'checkout', '--quiet', '--orphan', 'install');
    await git(tree, 'rm', '--quiet', '-r', '--force', '.');
  }),
);
test.after(() => folder.remove());

async function save(message: string, where = catalog): Promise<void> {
  await git(where, 'add', '--all');
  await git(where, 'commit', '--quiet', '--message', message);
}

/** The archives of a build, by path, with their digests; a note is printed with it. */
function archives(cwd = catalog) {
  const { rendered, site, historyMissing } = renderCatalog({
    cwd,
    settings: loadSettings(cwd, {}, {}),
    images: false,
    today: '2026-11-21',
  });
  const files = [...rendered.files].filter(([path]) => /^plugins\/.*\.zip$/.test(path));
  const marketplace = JSON.parse(rendered.files.get('marketplace.json')?.toString('utf8') ?? '');
  return {
    digests: new Map(files.map(([path, bytes]) => [path, createHash('sha256').update(bytes).digest('hex')])),
    current: marketplace.plugins.map(({ name, version }: { name: string; version: string }) => `${name} ${version}`),
    note: historyMissing,
    site,
  };
}

/** Publishes the catalog as the daily workflow does: the tree is committed, and the archives can be downloaded. */
async function publish() {
  const { site, ...built } = archives();
  treeWriter(tree)(installTree(site));
  if ((await git(tree, 'status', '--porcelain')) !== '') await save('Publish', tree);
  for (const [path, digest] of built.digests) {
    assert.is(published.get(path) ?? digest, digest, `${path} was published with other bytes`);
    published.set(path, digest);
  }
  return built;
}

test('without the branch, a version counts the commits that changed the agent', async () => {
  assert.equal(archives().current, ['two 1.0.0', 'one 1.0.0']);
  appendFileSync(join(catalog, 'agents/one/agent.md'), '\nOne more line.\n');
  await save('Change the agent "one"');
  assert.equal(archives().current, ['two 1.0.0', 'one 1.1.0']);
});

test('a build after the publication has the same versions, however often', async () => {
  const first = await publish();
  assert.equal(first.current, ['two 1.0.0', 'one 1.1.0']);
  const commits = await git(tree, 'rev-list', '--count', 'install');
  assert.equal(await publish(), first);
  assert.is(await git(tree, 'rev-list', '--count', 'install'), commits);
});

test('the version of a changed agent rises, no other does, and its earlier archive stays', async () => {
  const extension = () => readFileSync(join(tree, 'gemini-extension.json'), 'utf8');
  const before = extension();
  appendFileSync(join(catalog, 'agents/two/sample-input.txt'), 'One more row\n');
  const { current, digests } = await publish();
  assert.is.not(extension(), before, 'Gemini CLI says “already up to date” to a reader who lacks the edit');
  assert.equal(current, ['two 1.1.0', 'one 1.1.0']);
  assert.equal([...digests.keys()].sort(), ['plugins/one-1.1.0.zip', 'plugins/two-1.0.0.zip', 'plugins/two-1.1.0.zip']);
});

test('a change of the settings, as of the program, raises every version once', async () => {
  const publisher = { name: 'Other Press', url: 'https://press.example' };
  writeFiles(catalog, {
    'catalog.config.json': JSON.stringify({ ...smallSettings, publisher }),
    'README.md': 'New.\n',
  });
  assert.equal((await publish()).current, ['two 1.2.0', 'one 1.2.0']);
  assert.equal((await publish()).current, ['two 1.2.0', 'one 1.2.0']);
});

test('a clone with the whole history has every archive that was ever published', async () => {
  // The day of the commit is in the skill of the agent that it changes.
  await save('Change the publisher, and record the row');
  assert.equal((await publish()).current, ['two 1.3.0', 'one 1.2.0']);
  const clone = join(folder.path, 'clone');
  await git(folder.path, 'clone', '--quiet', catalog, clone);
  const { digests, note } = archives(clone);
  assert.equal(new Map([...digests].sort()), new Map([...published].sort()));
  assert.is(published.size, 6);
  assert.is(note, null);
});

test('a shallow clone lacks earlier archives, and says so', async () => {
  const clone = join(folder.path, 'shallow');
  await git(folder.path, 'clone', '--quiet', '--depth', '1', '--no-single-branch', `file://${catalog}`, clone);
  const { digests, note } = archives(clone);
  assert.not.ok(digests.has('plugins/one-1.1.0.zip'));
  assert.match(note ?? '', 'This clone is shallow, so the build may lack earlier archives of plugins.');
});

test('an archive that was committed again with other bytes is reported, and keeps its first bytes', async () => {
  appendFileSync(join(tree, 'plugins/one/plugin.json'), '\n');
  await save('Edit the branch by hand', tree);
  const { digests, current, note } = await publish();
  assert.equal(current, ['two 1.3.0', 'one 1.2.0']);
  assert.equal(new Map([...digests].sort()), new Map([...published].sort()));
  assert.is(
    note,
    'The branch install has more than one archive of one 1.2.0. The first one stays published: a version never changes.',
  );
});

test('what is not a plugin of the catalog does not count', async () => {
  writeFiles(tree, {
    'plugins/one/plugin.json': '{ "name": "one", "version": "9.0.0" }\n',
    'plugins/two/plugin.json': '{ "name": "two", "version": ',
    'plugins/three/plugin.json': '{ "name": "one", "version": "1.99.0" }\n',
  });
  await save('Write other manifests', tree);
  const { current, note } = await publish();
  assert.equal(current, ['two 1.3.0', 'one 1.2.0']);
  assert.is(note, null);
});

test('a build that continues the last one gives the same versions as one from nothing', async () => {
  const out = join(folder.path, 'dist');
  const cache = join(folder.path, 'cache');
  const marketplace = () => {
    const settings = loadSettings(catalog, {}, {});
    build({ cwd: catalog, out, cache, settings, images: false, today: '2026-11-21' });
    const { plugins } = JSON.parse(readFileSync(join(out, 'marketplace.json'), 'utf8'));
    return plugins.map(({ name, version }: { name: string; version: string }) => `${name} ${version}`);
  };
  assert.equal(marketplace(), ['two 1.3.0', 'one 1.2.0']);
  appendFileSync(join(catalog, 'agents/one/sample-output.txt'), 'One more line\n');
  assert.equal(marketplace(), ['two 1.3.0', 'one 1.3.0']);
  assert.equal(marketplace(), archives().current);
  // Another clone publishes a version while no agent changes here.
  writeFiles(tree, { 'plugins/one/plugin.json': '{ "name": "one", "version": "1.10.0" }\n' });
  await save('Publish from another clone', tree);
  assert.equal(marketplace(), ['two 1.3.0', 'one 1.11.0']);
  assert.equal(marketplace(), archives().current);
  // A failure of git is not remembered: earlier archives are back once git works again.
  const zips = () => readdirSync(join(out, 'plugins')).filter((name) => name.endsWith('.zip'));
  const before = zips();
  const objects = join(catalog, '.git/objects');
  rmSync(cache, { recursive: true });
  renameSync(objects, `${objects}-away`);
  marketplace();
  renameSync(`${objects}-away`, objects);
  marketplace();
  assert.equal(zips(), before);
});

test('after a rename, the plugin has a new name, and archives with the former one stay', async () => {
  rmSync(join(catalog, 'agents/one'), { recursive: true });
  const front = { issue: '1', formerSlugs: '[one]' };
  writeCatalog(catalog, [{ slug: 'uno', date: '2026-11-01', front }], smallSettings);
  await save('Rename "one"');
  const { current, digests } = await publish();
  assert.match(current.join(), /uno 1\.\d+\.0/);
  assert.ok(digests.has('plugins/one-1.1.0.zip') && digests.has('plugins/one-1.2.0.zip'));
});

test('a withdrawn agent takes all of its archives with it', async () => {
  const front = { issue: '2', withdrawn: 'It was wrong.' };
  writeCatalog(catalog, [{ slug: 'two', date: '2026-11-02', front }], smallSettings);
  await save('Withdraw "two"');
  const { digests } = await publish();
  assert.equal(
    [...digests.keys()].filter((path) => path.startsWith('plugins/two')),
    [],
  );
});

test.run();

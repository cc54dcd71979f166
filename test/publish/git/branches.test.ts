import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { publishedPlugins, readReleases } from '../../../src/build/install-branch.ts';
import { findDefaultBranch, readHistory } from '../../../src/content/history.ts';
import { firstLine } from '../../../src/lib/git.ts';
import { inFolder, writeFiles } from '../../support/catalog.ts';
import { gitSync } from '../../support/git.ts';

/** Which branch says what is published, and which one has the releases of plugins. */

/** Makes a repository with a commit, and returns that commit. HEAD is on a branch that counts as none of the others. */
function makeRepository(folder: string): string {
  gitSync(folder, 'init', '--quiet', '--initial-branch', 'topic');
  gitSync(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Start');
  return gitSync(folder, 'rev-parse', 'HEAD');
}

/** All branches that a repository may have, the one that counts most first. */
const preferred: [ref: string, name: string][] = [
  ['refs/remotes/origin/HEAD', 'origin/trunk'],
  ['refs/remotes/origin/main', 'origin/main'],
  ['refs/remotes/origin/master', 'origin/master'],
  ['refs/remotes/fork/HEAD', 'fork/trunk'],
  ['refs/remotes/fork/main', 'fork/main'],
  ['refs/remotes/fork/master', 'fork/master'],
  ['refs/heads/main', 'main'],
  ['refs/heads/master', 'master'],
];

test('the default branch of origin counts, then of another remote, then the local one, then what is checked out', () =>
  inFolder((folder) => {
    assert.is(findDefaultBranch(folder), null, 'outside of a repository');
    gitSync(folder, 'init', '--quiet', '--initial-branch', 'topic');
    assert.is(findDefaultBranch(folder), null, 'before the first commit');
    const commit = makeRepository(folder);
    const committed = new Date(Number(gitSync(folder, 'log', '-1', '--format=%ct')) * 1000);
    for (const [ref, name] of preferred) {
      const [, , remote] = ref.split('/');
      if (!ref.endsWith('HEAD')) gitSync(folder, 'update-ref', ref, commit);
      else {
        gitSync(folder, 'update-ref', `refs/remotes/${remote}/trunk`, commit);
        gitSync(folder, 'symbolic-ref', ref, `refs/remotes/${name}`);
      }
    }
    for (const [ref, name] of preferred) {
      assert.equal(findDefaultBranch(folder), { name, commit, committed, base: commit }, ref);
      if (ref.endsWith('HEAD')) gitSync(folder, 'symbolic-ref', '--delete', ref);
      else gitSync(folder, 'update-ref', '-d', ref);
    }
    assert.is(findDefaultBranch(folder)?.name, 'topic');
    gitSync(folder, 'checkout', '--quiet', '--detach');
    assert.is(findDefaultBranch(folder)?.name, 'HEAD');
  }));

test('the base is the newest commit that the branch and HEAD share', () =>
  inFolder((folder) => {
    const shared = makeRepository(folder);
    gitSync(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Ahead');
    gitSync(folder, 'update-ref', 'refs/heads/main', 'HEAD');
    gitSync(folder, 'reset', '--quiet', '--hard', shared);
    gitSync(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Another');
    const record = findDefaultBranch(folder);
    assert.is(record?.base, shared);
    assert.is(record?.commit, gitSync(folder, 'rev-parse', 'main'));
    gitSync(folder, 'checkout', '--quiet', '--orphan', 'unrelated');
    gitSync(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Other roots');
    assert.is(findDefaultBranch(folder)?.base, null);
  }));

test('releases come from the branch install of origin, then of another remote, then the local one', () =>
  inFolder((folder) => {
    makeRepository(folder);
    assert.equal(readReleases(folder), { plugins: [], note: null });
    for (const [version, ref] of [
      ['1.1.0', 'refs/remotes/zoo/install'],
      ['1.2.0', 'refs/remotes/origin/install'],
      ['1.3.0', 'refs/heads/install'],
      ['1.4.0', 'refs/remotes/art/install'],
    ] as const) {
      writeFiles(folder, { 'plugins/one/plugin.json': JSON.stringify({ name: 'one', version }) });
      gitSync(folder, 'add', '--all');
      const tree = gitSync(folder, 'write-tree');
      gitSync(folder, 'update-ref', ref, gitSync(folder, 'commit-tree', tree, '-m', version));
    }
    const versions = () => readReleases(folder).plugins.map(([name, [release]]) => `${name} ${release?.version}`);
    for (const [ref, version] of [
      ['refs/remotes/origin/install', '1.2.0'],
      ['refs/remotes/art/install', '1.4.0'],
      ['refs/remotes/zoo/install', '1.1.0'],
      ['refs/heads/install', '1.3.0'],
    ] as const) {
      assert.equal(versions(), [`one ${version}`], ref);
      gitSync(folder, 'update-ref', '-d', ref);
    }
    assert.equal(readReleases(folder), { plugins: [], note: null });
  }));

test('a plugin with a file more, a file less or another text is not the one that was released', () =>
  inFolder((folder) => {
    makeRepository(folder);
    const files = { 'plugin.json': JSON.stringify({ name: 'one', version: '1.0.0' }), 'README.md': 'One\n' };
    for (const [name, text] of Object.entries(files)) writeFiles(folder, { [`plugins/one/${name}`]: text });
    gitSync(folder, 'add', '--all');
    const commit = gitSync(folder, 'commit-tree', gitSync(folder, 'write-tree'), '-m', 'Release');
    gitSync(folder, 'update-ref', 'refs/heads/install', commit);
    const releases = readReleases(folder);
    const release = releases.plugins[0]?.[1][0];
    assert.ok(release);
    const plugins = publishedPlugins(folder, releases);
    const is = (now: Record<string, string>) => plugins.isRelease(release, new Map(Object.entries(now)));
    assert.is(is(files), true);
    assert.is(is({ ...files, 'SKILL.md': 'New\n' }), false);
    assert.is(is({ 'plugin.json': files['plugin.json'] }), false);
    assert.is(is({ ...files, 'README.md': 'Two\n' }), false);
    // The blob of `One\n`, after one that a damaged repository lacks.
    const one = gitSync(folder, 'rev-parse', 'install:plugins/one/README.md');
    assert.equal([...plugins.read(['1'.repeat(40), one])], [[one, 'One\n']]);
  }));

test('a repository without a commit has no history, and the message says so', () =>
  inFolder((folder) => {
    gitSync(folder, 'init', '--quiet');
    assert.equal(readHistory(folder), {
      changes: [],
      missing:
        'The pages cannot show how prompts changed: nothing is committed yet. Publication dates are used as modification dates.',
    });
    assert.match(readHistory(join(folder, '.git/hooks')).missing ?? '', /: .+\. Publication dates/);
  }));

const messages: [said: string, line: string][] = [
  ['fatal: not a git repository\nmore', 'not a git repository'],
  ['hint: x\n error: failed to push\nfatal: y', 'failed to push'],
  ['warning: x\n ! [rejected] main -> main', '! [rejected] main -> main'],
  ['To x\nremote: error: hook declined', 'remote: error: hook declined'],
  ['something else\nand more', 'something else'],
  ['', ''],
];
for (const [said, line] of messages) {
  test(`of ${JSON.stringify(said)}, people read ${JSON.stringify(line)}`, () => assert.is(firstLine(said), line));
}

test.run();

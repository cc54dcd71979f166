import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, type SmallAgent, writeCatalog } from '../../support/catalog.ts';
import { gitSync } from '../../support/git.ts';
import { catalog } from '../../support/process.ts';

/** What `catalog rename` says: where the pages are now, and a command for Git that works. */

const agents: SmallAgent[] = [
  { slug: 'one', date: '2026-01-01', front: { issue: '1' } },
  { slug: 'back', date: '2026-01-02', front: { issue: '2', withdrawn: 'It was wrong.' } },
];

/** A catalog in the folder `site` of a repository, with one commit, and a draft that was never added. */
async function inCatalog(use: (place: { folder: string; site: string }) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const site = join(folder, 'site');
    writeCatalog(site, agents);
    gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
    gitSync(folder, 'add', '--all');
    gitSync(folder, 'commit', '--quiet', '-m', 'Start');
    writeCatalog(site, [{ slug: 'draft', date: '2099-01-01', front: { draft: 'true' } }]);
    await use({ folder, site });
  });
}

test('a withdrawn agent has no page after it was renamed, and the message does not promise one', () =>
  inCatalog(async ({ site }) => {
    const { code, stderr } = await catalog(['rename', 'back', 'away'], { cwd: site });
    assert.is(code, 0);
    assert.is(
      stderr,
      'Renamed back to away. It is No. 2. It is withdrawn, so neither address has a page. Add both to the next commit: git add --all agents/back agents/away\n',
    );
    const built = await catalog(['build', '--cwd', site]);
    assert.is(built.code, 0, built.stderr);
    const pages = ['one', 'back', 'away'].map((slug) => existsSync(join(site, `dist/agents/${slug}.html`)));
    assert.equal(pages, [true, false, false]);
  }));

const places: [name: string, from: string, cwd: string, flags: string[], command: string, added: string[]][] = [
  ['a committed agent', 'one', 'site', [], 'git add --all agents/one agents/new', ['agents/new/agent.md', 'D']],
  ['an agent that was never added', 'draft', 'site', [], 'git add agents/new', ['agents/new/agent.md']],
  ['a folder of the catalog', 'one', 'site/agents', [], 'git -C .. add --all agents/one agents/new', ['D']],
  ['another folder', 'draft', '../', ['--cwd', 'FOLDER/site'], 'git -C NAME/site add agents/new', ['agents/new']],
];
for (const [name, from, cwd, flags, command, added] of places) {
  test(`the command for Git works where it was printed: ${name}`, () =>
    inCatalog(async ({ folder }) => {
      const name = folder.split('/').at(-1) ?? '';
      const here = join(folder, cwd);
      const given = flags.map((flag) => flag.replace('FOLDER', folder));
      const { code, stderr } = await catalog(['rename', from, 'new', ...given], { cwd: here });
      assert.is(code, 0, stderr);
      const [printed = ''] = /git .*/.exec(stderr) ?? [];
      assert.is(printed, command.replace('NAME', name));
      execSync(printed, { cwd: here, stdio: 'pipe' });
      const staged = gitSync(folder, 'diff', '--cached', '--name-status', '--no-renames');
      for (const part of added) assert.match(staged, part);
    }));
}

test('after a second rename before a commit, the command also removes the folder that Git knows, so no number is in two folders', () =>
  inCatalog(async ({ site }) => {
    await catalog(['rename', 'one', 'between'], { cwd: site });
    const { stderr } = await catalog(['rename', 'between', 'new'], { cwd: site });
    assert.match(stderr, 'Add both to the next commit: git add --all agents/one agents/new\n');
    const back = await catalog(['rename', 'new', 'one'], { cwd: site });
    assert.match(back.stderr, 'Add it to the next commit: git add agents/one\n');
  }));

test('an agent with a name that a shell would split is quoted', () =>
  inCatalog(async ({ site }) => {
    writeCatalog(site, [{ slug: 'My Agent', date: '2099-01-02', front: { draft: 'true' } }]);
    gitSync(site, 'add', '--all');
    const { stderr } = await catalog(['rename', 'My Agent', 'my-agent'], { cwd: site });
    assert.match(stderr, 'Add both to the next commit: git add --all "agents/My Agent" agents/my-agent\n');
  }));

test('without Git, there is no command for it', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const { code, stderr } = await catalog(['rename', 'one', 'new'], { cwd: folder });
    assert.equal(
      [code, stderr],
      [0, 'Renamed one to new. It is No. 1, and its old address redirects to the new one.\n'],
    );
  }));

test.run();

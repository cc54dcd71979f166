import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, snapshot, writeCatalog } from './support/catalog.ts';
import { catalog } from './support/process.ts';

/** Readers see when a prompt changed and why, wherever git knows it for sure; where it does not, nothing stops. */

test('a page tells the changes of its prompt, newest first, and not those of other files', async () => {
  await inFolder(async (folder) => {
    const repository = makeRepository(folder);
    const built = await catalog(['build', '--cwd', repository, '--today', '2026-11-21']);
    assert.is(built.code, 0, built.stderr);
    assert.not.match(built.stderr, /history/);
    const pages = snapshot(join(repository, 'dist'));
    const page = pages['agents/one.html'] ?? '';
    const changes = [...page.matchAll(/<li><time datetime="([\d-]+)">[^<]*<\/time> <span>([^<]*) <code>/g)];
    assert.equal(
      changes.map(([, date, subject]) => [date, subject]),
      [
        ['2026-11-02', 'feat: wish for &lt;less&gt;'],
        ['2026-11-01', 'feat: begin'],
      ],
    );
    assert.not.match(pages['agents/two.html'] ?? '', 'wish for');
  });
});

test('a shallow clone is built without the history, and says so once', async () => {
  await inFolder(async (folder) => {
    const repository = makeRepository(folder);
    const clone = join(folder, 'clone');
    git(folder, ['clone', '--quiet', '--depth', '1', pathToFileURL(repository).href, clone]);
    const built = await catalog(['build', '--cwd', clone, '--today', '2026-11-21', '--json']);
    assert.is(built.code, 0, built.stderr);
    assert.is(built.stderr.match(/no history of the prompts: this clone is shallow/g)?.length, 1);
    assert.not.match(snapshot(join(clone, 'dist'))['agents/one.html'] ?? '', 'id="history"');
  });
});

test('a folder outside git, and a machine without git, are built without the history', async () => {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2026-11-20' }]);
    const outside = await catalog(['build', '--cwd', folder, '--today', '2026-11-21']);
    assert.is(outside.code, 0, outside.stderr);
    assert.match(outside.stderr, 'The pages show no history of the prompts: this folder is in no git repository.\n');
    const without = await catalog(['build', '--cwd', folder, '--today', '2026-11-21'], { env: { PATH: folder } });
    assert.is(without.code, 0, without.stderr);
    assert.match(without.stderr, 'The pages show no history of the prompts: git is not installed.\n');
  });
});

/** A repository below a folder: two agents; the prompt of the first changed once, its other files once more. */
function makeRepository(folder: string): string {
  const repository = join(folder, 'repository');
  writeCatalog(repository, [
    { slug: 'one', date: '2026-11-19' },
    { slug: 'two', date: '2026-11-20' },
  ]);
  git(repository, ['init', '--quiet']);
  commit(repository, '2026-11-01', 'feat: begin');
  const agent = join(repository, 'agents', 'one');
  writeFileSync(join(agent, 'prompt.txt'), 'INPUT\nA text.\n\nRULES\n1. Invent nothing.\n\nOUTPUT\nLess.\n');
  commit(repository, '2026-11-02', 'feat: wish for <less>');
  writeFileSync(join(agent, 'sample-input.txt'), 'Another sample.\n');
  commit(repository, '2026-11-03', 'fix: another sample');
  return repository;
}

function commit(repository: string, day: string, message: string): void {
  const date = `${day}T12:00:00Z`;
  git(repository, ['add', '--all']);
  git(repository, ['commit', '--quiet', '--message', message], { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date });
}

function git(cwd: string, args: string[], env: NodeJS.ProcessEnv = {}): void {
  const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@press.example', '-c', 'commit.gpgSign=false'];
  execFileSync('git', [...person, ...args], { cwd, env: { ...process.env, ...env }, stdio: 'ignore' });
}

test.run();

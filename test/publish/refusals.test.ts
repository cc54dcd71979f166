import fs, { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeNumbers } from '../../src/publish/write-numbers.ts';
import { inFolder, smallAgent, snapshot, writeCatalog, writeFiles } from '../support/catalog.ts';
import { git } from '../support/git.ts';
import { agents, inRepository, issueOf, publish, refused, today } from '../support/publication.ts';

/** `catalog publish` with obstacles: clear messages, the right exit code, nothing lost. */

/** Makes an uncommitted change, which no command may touch. */
function startWork(editor: string): void {
  appendFileSync(join(editor, 'catalog.config.json'), '\n');
}

test('numbers are not committed on a branch that is not published', () =>
  inRepository(async ({ editor }) => {
    await git(editor, 'switch', '--quiet', '--create', 'headline-tester');
    const words = /Issue numbers are recorded on origin\/main, but headline-tester is checked out\./;
    await refused(editor, words, () => publish(editor, ['--push']));
    await refused(editor, words, () => publish(editor, ['--commit']));
    assert.is((await publish(editor, ['--dry-run'])).code, 0);
    await git(editor, 'remote', 'remove', 'origin');
    await refused(editor, /recorded on main, but headline-tester is checked out\./, () =>
      publish(editor, ['--commit']),
    );
  }));

test('uncommitted changes are refused and listed; --allow-dirty accepts them', async () => {
  await inRepository(async ({ editor }) => {
    writeFiles(editor, { 'agents/one/prompt.txt': `${smallAgent({ slug: 'one', date: today })['prompt.txt']}` });
    rmSync(join(editor, 'agents/one/agent.md'));
    await refused(editor, /^agents\/one:1:1 {2}error {2}folder\/missing-file/, () => publish(editor, ['--commit']));
    await git(editor, 'checkout', 'agents/one/agent.md');
    startWork(editor);
    await refused(editor, /uncommitted changes:[\s\S]*catalog\.config\.json[\s\S]*--allow-dirty/, () =>
      publish(editor),
    );
    assert.is((await publish(editor, ['--allow-dirty'])).code, 0);
    assert.is(issueOf(editor, 'two'), '2');
  });
});

test('new files of agents and settings are refused, and other new files are not', () =>
  inRepository(async ({ editor }) => {
    await git(editor, 'rm', '--quiet', '--cached', 'catalog.config.json');
    await git(editor, 'commit', '--quiet', '--message', 'Forget the settings');
    await refused(editor, /uncommitted changes:\n {2}\?\? catalog\.config\.json\n[^ ]/, () => publish(editor));
    await git(editor, 'add', 'catalog.config.json');
    await git(editor, 'commit', '--quiet', '--message', 'Add the settings');
    writeFiles(editor, { 'notes.txt': 'Ideas\n' });
    assert.is((await publish(editor)).code, 0);
  }));

for (const [count, more] of [
  [10, ''],
  [11, '  and 1 more\n'],
  [12, '  and 2 more\n'],
] as const) {
  test(`of ${count} uncommitted changes, the first ten are listed`, () =>
    inRepository(async ({ editor }) => {
      const names = Array.from({ length: count }, (_, index) => `agents/one/${String.fromCharCode(97 + index)}`);
      writeFiles(editor, Object.fromEntries(names.map((name) => [name, 'mine\n'])));
      const listed = names.slice(0, 10).map((name) => `  \\?\\? ${name}\n`);
      await refused(
        editor,
        new RegExp(
          `changes:\n${listed.join('')}${more}Commit or stash them \\(new files with git stash --include-untracked\\)`,
        ),
        () => publish(editor, ['--push']),
      );
    }));
}

test('an agent with files that git does not track is never committed in part', async () => {
  await inRepository(async ({ editor }) => {
    await git(editor, 'update-index', '--skip-worktree', 'agents/two/agent.md');
    await refused(editor, /agents\/two are not in git, or git skips their changes/, () =>
      publish(editor, ['--commit']),
    );
    await git(editor, 'update-index', '--no-skip-worktree', 'agents/two/agent.md');
    await git(editor, 'rm', '--quiet', '--cached', 'agents/two/prompt.txt');
    await git(editor, 'commit', '--quiet', '-m', 'Forget a file');
    await refused(editor, /agents\/two are not in git/, () => publish(editor, ['--commit', '--allow-dirty']));
    await git(editor, 'rm', '-r', '--quiet', '--cached', 'agents/two');
    await git(editor, 'commit', '--quiet', '-m', 'Forget all files');
    writeFiles(editor, { '.git/info/exclude': 'two/\n' });
    await refused(editor, /agents\/two are not in git/, () => publish(editor, ['--commit']));
  });
});

test('a branch behind its remote is refused, even without a fetch; --push updates it', async () => {
  await inRepository(async ({ editor, remote, folder }) => {
    const other = join(folder, 'other');
    await git(folder, 'clone', '--quiet', remote, other);
    writeFiles(other, { 'README.md': 'Gained.\n' });
    await git(other, 'add', '--all');
    await git(other, 'commit', '--quiet', '-m', 'Gain');
    await git(other, 'push', '--quiet');
    const before = readFileSync(join(editor, 'agents/two/agent.md'), 'utf8');
    const behind = await publish(editor);
    assert.is(behind.code, 1);
    assert.match(behind.stderr, /lacks a commit of origin\/main[\s\S]*git pull origin main, or add --allow-behind/);
    assert.is(readFileSync(join(editor, 'agents/two/agent.md'), 'utf8'), before);
    await git(other, 'commit', '--quiet', '--allow-empty', '-m', 'Gain more');
    await git(other, 'push', '--quiet');
    assert.match((await publish(editor)).stderr, /lacks 2 commits of origin\/main/);
    startWork(editor);
    await git(editor, 'add', 'catalog.config.json');
    const work = readFileSync(join(editor, 'catalog.config.json'), 'utf8');
    const pushed = await publish(editor, ['--push', '--allow-dirty']);
    assert.is(pushed.code, 0, pushed.stderr);
    assert.ok(existsSync(join(editor, 'README.md')));
    assert.is(readFileSync(join(editor, 'catalog.config.json'), 'utf8'), work);
    assert.is(await git(editor, 'status', '--porcelain'), 'M  catalog.config.json\n');
    assert.match(await git(remote, 'log', '-1', '--format=%s', 'main'), 'Publish No. 2');
  });
});

test('a remote that does not answer is reported; --allow-behind continues without it', async () => {
  await inRepository(async ({ editor, remote }) => {
    rmSync(remote, { recursive: true });
    await refused(editor, /origin did not answer[\s\S]*--allow-behind/, () => publish(editor));
    await refused(editor, /origin did not answer/, () => publish(editor, ['--push']));
    assert.is((await publish(editor, ['--allow-behind', '--commit'])).code, 0);
  });
});

test('a branch without a remote cannot be pushed, and the message says how to add one', () =>
  inRepository(async ({ editor }) => {
    await git(editor, 'remote', 'remove', 'origin');
    await refused(editor, /branch main has no remote to push to\. Add one with git remote add origin/, () =>
      publish(editor, ['--push']),
    );
  }));

test('a push that the remote refuses is undone and not repeated, with the reason, and uncommitted changes stay', async () => {
  await inRepository(async ({ editor, remote }) => {
    const hook = '#!/bin/sh\necho tried >> tries\necho "You may not push to protected branches" >&2\nexit 1\n';
    writeFileSync(join(remote, 'hooks/pre-receive'), hook, { mode: 0o755 });
    startWork(editor);
    await refused(
      editor,
      /You may not push to protected branches[\s\S]*docs\/publishing\.md[\s\S]*Nothing has changed/,
      () => publish(editor, ['--push', '--allow-dirty']),
    );
    assert.is(readFileSync(join(remote, 'tries'), 'utf8'), 'tried\n');
  });
});

test('a commit that git refuses is undone, and uncommitted changes stay', async () => {
  await inRepository(async ({ editor }) => {
    writeFileSync(join(editor, '.git/hooks/pre-commit'), '#!/bin/sh\necho "No commits today" >&2\nexit 1\n', {
      mode: 0o755,
    });
    startWork(editor);
    await refused(editor, /No commits today[\s\S]*Nothing has changed/, () =>
      publish(editor, ['--commit', '--allow-dirty']),
    );
  });
});

test('if a refused commit cannot be undone, as on a full disk, the message says so, and the next run does it', async () => {
  await inRepository(async ({ editor }) => {
    const hook = join(editor, '.git/hooks/pre-commit');
    // A folder at the path of the draft of the file.
    const inTheWay = join(editor, `agents/two/.agent.md.draft-${process.pid}`);
    writeFileSync(hook, `#!/bin/sh\nmkdir '${inTheWay}'\necho "No commits today" >&2\nexit 1\n`, { mode: 0o755 });
    const { code, stderr } = await publish(editor, ['--commit']);
    assert.is(code, 1);
    assert.match(stderr, '(No commits today). The next run removes the numbers from the files.');
    rmSync(inTheWay, { recursive: true });
    rmSync(hook);
    assert.is((await publish(editor, ['--commit'])).code, 0);
    assert.is(await git(editor, 'status', '--porcelain'), '');
  });
});

test('if one number cannot be written, all are removed again', () =>
  inFolder((folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2027-03-01' }, ...agents.slice(1)]);
    const before = snapshot(folder);
    const releases = ['one', 'two'].map((slug, index) => ({ slug, issue: index + 1, date: today, title: slug }));
    // A folder at the path of the draft of the second file.
    const inTheWay = join(folder, `agents/two/.agent.md.draft-${process.pid}`);
    mkdirSync(inTheWay);
    assert.throws(
      () => writeNumbers(folder, releases),
      /^Cannot write the numbers\. .*two\/\.agent\.md\.draft-\d+.* Nothing has changed\.$/,
    );
    rmSync(inTheWay, { recursive: true });
    assert.equal(snapshot(folder), before);
  }));

test('if one file cannot be replaced, now or later, the message says which, and the others are as before', () =>
  inFolder((folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2027-03-01' }, ...agents.slice(1)]);
    const before = snapshot(folder);
    const releases = ['one', 'two'].map((slug, index) => ({ slug, issue: index + 1, date: today, title: slug }));
    const original = fs.renameSync;
    fs.renameSync = (from, to) => {
      if (!String(to).includes('/two/')) return original(from, to);
      throw Object.assign(new Error('no'), { code: 'EROFS', syscall: 'rename', path: from, dest: to });
    };
    syncBuiltinESMExports();
    try {
      assert.throws(
        () => writeNumbers(folder, releases),
        /^Cannot write the numbers\. \S+\/two\/agent\.md cannot be used: .*\. Check with git diff what has changed\.$/,
      );
    } finally {
      fs.renameSync = original;
      syncBuiltinESMExports();
    }
    assert.equal(snapshot(folder), before);
  }));

test('branches that have diverged are never merged by force', async () => {
  await inRepository(async ({ editor, remote, folder }) => {
    const other = join(folder, 'other');
    await git(folder, 'clone', '--quiet', remote, other);
    for (const [place, name] of [
      [other, 'a'],
      [editor, 'b'],
    ] as const) {
      writeFiles(place, { [name]: 'x\n' });
      await git(place, 'add', '--all');
      await git(place, 'commit', '--quiet', '-m', name);
    }
    await git(other, 'push', '--quiet');
    await git(editor, 'fetch', '--quiet');
    // A branch that was never pushed with --set-upstream: git pull alone does not know what to pull.
    await git(editor, 'branch', '--unset-upstream');
    await refused(editor, /lacks a commit of .*git pull --rebase origin main, or/, () => publish(editor, ['--commit']));
    await refused(editor, /have diverged\. Run git pull --rebase origin main,/, () => publish(editor, ['--push']));
    await git(editor, 'pull', '--quiet', '--rebase', 'origin', 'main');
    assert.is((await publish(editor, ['--push'])).code, 0);
  });
});

test('a detached HEAD, a bare repository, a folder without git, and a missing git get different messages', async () => {
  await inRepository(async ({ editor, remote, folder }) => {
    await git(editor, 'checkout', '--quiet', '--detach');
    await refused(editor, /HEAD is detached.*git switch main\. To write them anyway, add --allow-behind\.\n/, () =>
      publish(editor),
    );
    await refused(editor, /HEAD is detached.*git switch main\.\n/, () =>
      publish(editor, ['--commit', '--allow-behind']),
    );
    await git(editor, 'switch', '--quiet', 'main');

    writeCatalog(remote, agents);
    const bare = await publish(remote);
    assert.is(bare.code, 1);
    assert.match(bare.stderr, /bare repository/);

    const plain = join(folder, 'plain');
    mkdirSync(plain);
    writeCatalog(plain, agents);
    const none = await publish(plain, [], { GIT_CEILING_DIRECTORIES: folder });
    assert.is(none.code, 1);
    assert.match(none.stderr, /not a git repository[\s\S]*git init/);
    const early = await publish(plain, ['--today', '2027-03-01'], { GIT_CEILING_DIRECTORIES: folder });
    assert.is(early.code, 0, early.stderr);
    assert.match(early.stderr, /^warning: Agents are ready .*\nNothing new is due on 2027-03-01\.\n/);
    const asked = await publish(plain, ['--today', '2027-03-01', '--commit'], { GIT_CEILING_DIRECTORIES: folder });
    assert.match(asked.stderr, /not a git repository/);
    await git(plain, 'init', '--quiet', '--initial-branch', 'main');
    await refused(plain, /uncommitted changes:/, () => publish(plain, ['--commit']));
    await refused(plain, /belongs to another user.*--add safe\.directory '?\/.*plain'?\n/, () =>
      publish(plain, [], { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' }),
    );

    const missing = await publish(editor, [], { PATH: folder });
    assert.is(missing.code, 1);
    assert.match(missing.stderr, /`git` is not on the PATH/);
    assert.is(issueOf(editor, 'two'), undefined);
  });
});

test.run();

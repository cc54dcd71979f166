import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { smallAgent, smallSettings, writeCatalog, writeFiles } from '../support/catalog.ts';
import { gitSync } from '../support/git.ts';
import { agents, inRepository, issueOf, publish, refused } from '../support/publication.ts';

/** `catalog publish --push` on a branch with commits that are not pushed, and against a remote that moves. */

/** Commits all changes, even if there are none. */
function commit(editor: string, ...args: string[]): void {
  gitSync(editor, 'add', '--all');
  gitSync(editor, 'commit', '--quiet', '--allow-empty', ...args);
}

/** Pushes a change that the branch does not have, as another person would. */
function gain(editor: string, files: Record<string, string> = { 'README.md': 'Gained.\n' }): void {
  const tip = gitSync(editor, 'rev-parse', 'HEAD');
  gitSync(editor, 'checkout', '--quiet', '--detach', 'origin/main');
  writeFiles(editor, files);
  commit(editor, '-m', 'Gain');
  gitSync(editor, 'push', '--quiet', 'origin', 'HEAD:main');
  gitSync(editor, 'checkout', '--quiet', '-B', 'main', tip);
}

const subjects = (remote: string) => gitSync(remote, 'log', '--format=%s', 'main').split('\n');
const number = (editor: string) => publish(editor, ['--commit']);

test('numbers that were committed but not pushed are pushed, even if no agent is due', () =>
  inRepository(async ({ editor, remote }) => {
    await number(editor);
    assert.equal(subjects(remote), ['Start']);
    const { code, stdout, stderr } = await publish(editor, ['--push', '--format', 'json']);
    assert.is(code, 0, stderr);
    const { pushed, commit, releases } = JSON.parse(stdout);
    const tip = gitSync(remote, 'rev-parse', 'main');
    assert.equal({ pushed, commit, releases }, { pushed: true, commit: tip, releases: [] });
    assert.equal(subjects(remote), ['Publish No. 2: The two agent', 'Start']);
    const again = await publish(editor, ['--push', '--format', 'json']);
    assert.equal([JSON.parse(again.stdout).pushed, JSON.parse(again.stdout).commit], [false, null]);
  }));

test("without an agent due, a person's commits are not pushed, but with numbers among them they are", () =>
  inRepository(async ({ editor, remote }) => {
    await publish(editor, ['--push']);
    commit(editor, '-m', 'Think');
    assert.is((await publish(editor, ['--push'])).code, 0);
    assert.is(subjects(remote)[0], 'Publish No. 2: The two agent');
    writeFiles(join(editor, 'agents/three'), smallAgent({ slug: 'three', date: '2027-03-03' }));
    commit(editor, '-m', 'Add an agent');
    await publish(editor, ['--commit', '--today', '2027-03-03']);
    assert.is((await publish(editor, ['--push', '--today', '2027-03-03'])).code, 0);
    assert.equal(subjects(remote).slice(0, 3), ['Publish No. 3: The three agent', 'Add an agent', 'Think']);
  }));

test('numbers that were committed but not pushed are assigned again if the remote has used them meanwhile', () =>
  inRepository(
    async ({ editor, remote }) => {
      await number(editor);
      const other = smallAgent({ slug: 'other', date: '2027-03-01', front: { issue: '2' } });
      gain(
        editor,
        Object.fromEntries(Object.entries(other).map(([name, text]) => [`agents/other/${name}`, `${text}`])),
      );
      const { code, stderr } = await publish(editor, ['--push']);
      assert.is(code, 0, stderr);
      assert.equal(subjects(remote), ['Publish No. 3: The two agent', 'Gain', 'Start']);
      assert.is(gitSync(editor, 'status', '--porcelain', '--branch'), '## main...origin/main');
    },
    [
      { slug: 'one', date: '2027-02-28', front: { issue: '1' } },
      { slug: 'two', date: '2027-03-02' },
    ],
  ));

test('they are recognized in a catalog below a folder with quotation marks in its name, too', () =>
  inRepository(async ({ editor, remote }) => {
    const press = join(editor, 'the "press"');
    writeCatalog(press, agents);
    commit(editor, '-m', 'Move');
    gitSync(editor, 'push', '--quiet');
    await number(press);
    gain(editor);
    const { code, stderr } = await publish(press, ['--push']);
    assert.is(code, 0, stderr);
    assert.equal(subjects(remote), ['Publish No. 2: The two agent', 'Gain', 'Move', 'Start']);
  }));

test('they are recognized although git shows signatures of commits, and so is the only branch', () =>
  inRepository(async ({ editor, remote }) => {
    const signer = join(editor, '.git/signer');
    const script = "cat > /dev/null\nprintf '\\n[GNUPG:] SIG_CREATED \\n' >&2\necho '-----BEGIN PGP SIGNATURE-----'\n";
    writeFileSync(signer, `#!/bin/sh\n${script}`, { mode: 0o755 });
    for (const setting of ['commit.gpgSign', 'log.showSignature']) gitSync(editor, 'config', setting, 'true');
    gitSync(editor, 'config', 'gpg.program', signer);
    await number(editor);
    gain(editor);
    const { code, stderr } = await publish(editor, ['--push']);
    assert.is(code, 0, stderr);
    assert.equal(subjects(remote), ['Publish No. 2: The two agent', 'Gain', 'Start']);
    gitSync(editor, 'remote', 'remove', 'origin');
    gitSync(editor, 'branch', '--move', 'press');
    writeFiles(join(editor, 'agents/two'), smallAgent({ slug: 'two', date: '2027-03-02' }));
    assert.match((await publish(editor, ['--dry-run'])).stderr, 'was published as No. 2 (on press)');
  }));

test('a branch that somebody replaced on the remote by force is followed', () =>
  inRepository(async ({ editor, remote }) => {
    const tip = gitSync(editor, 'rev-parse', 'HEAD');
    gain(editor, { 'README.md': 'Replaced.\n' });
    const replaced = gitSync(remote, 'rev-parse', 'main');
    gitSync(remote, 'update-ref', 'refs/heads/main', tip);
    gitSync(editor, 'fetch', '--quiet', '--force', 'origin');
    gain(editor);
    gitSync(editor, 'update-ref', 'refs/remotes/origin/main', replaced);
    const { code, stderr } = await publish(editor, ['--push']);
    assert.is(code, 0, stderr);
    assert.equal(subjects(remote), ['Publish No. 2: The two agent', 'Gain', 'Start']);
    assert.is(gitSync(remote, 'show', 'main:README.md'), 'Gained.');
  }));

test('a remote without the branch gets all commits, and those with numbers even if no agent is due', () =>
  inRepository(async ({ editor, remote }) => {
    for (const words of [/Committed as \w+ and pushed/, /committed earlier have been pushed/]) {
      gitSync(remote, 'update-ref', '-d', 'refs/heads/main');
      const { code, stderr } = await publish(editor, ['--push']);
      assert.is(code, 0, stderr);
      assert.match(stderr, words);
      assert.equal(subjects(remote), ['Publish No. 2: The two agent', 'Start']);
    }
  }));

test('numbers are pushed to the remote of the branch, whatever it is called', () =>
  inRepository(async ({ editor, remote }) => {
    gitSync(editor, 'remote', 'rename', 'origin', 'mirror');
    const { code, stderr } = await publish(editor, ['--push']);
    assert.is(code, 0, stderr);
    assert.equal(subjects(remote), ['Publish No. 2: The two agent', 'Start']);
  }));

test('in a shallow clone, a commit whose changes cannot be known is not taken for numbers', () =>
  inRepository(async ({ editor, remote, folder }) => {
    await publish(editor, ['--push']);
    const shallow = join(folder, 'shallow');
    gitSync(folder, 'clone', '--quiet', '--depth', '1', `file://${remote}`, shallow);
    gitSync(remote, 'update-ref', '-d', 'refs/heads/main');
    // With this setting, git names no files of a commit without its parent.
    gitSync(shallow, 'config', 'log.showRoot', 'false');
    const { code, stderr } = await publish(shallow, ['--push']);
    assert.is(code, 0, stderr);
    assert.match(stderr, /Nothing new is due/);
    assert.not.match(stderr, /pushed/);
  }));

const write = (editor: string, path = 'README.md') => appendFileSync(join(editor, path), 'Mine.\n');
const subject = 'Publish No. 2: The two agent';
const branches: [what: string, make: (editor: string) => unknown][] = [
  ['a change', (editor) => [write(editor), commit(editor, '-m', 'Change the README')]],
  [
    'a change and then numbers',
    (editor) => {
      write(editor);
      commit(editor, '-m', 'Change the README');
      return number(editor);
    },
  ],
  ['a change under the name of numbers', (editor) => [write(editor), commit(editor, '-m', subject)]],
  [
    'a deletion under the name of numbers',
    (editor) => [rmSync(join(editor, 'agents/one/prompt.txt')), commit(editor, '-m', subject)],
  ],
  [
    'a new agent under the name of numbers',
    (editor) => {
      const files = smallAgent({ slug: 'new', date: '2027-03-02', front: { issue: '2' } });
      writeFiles(editor, { 'agents/new/agent.md': `${files['agent.md']}` });
      commit(editor, '-m', subject);
    },
  ],
  [
    'another number under the name of numbers',
    (editor) => {
      const file = join(editor, 'agents/one/agent.md');
      writeFileSync(file, readFileSync(file, 'utf8').replace('issue: 1\n', 'issue: 3\n'));
      commit(editor, '-m', subject);
    },
  ],
  [
    'an empty number under the name of numbers',
    (editor) => {
      const file = join(editor, 'agents/two/agent.md');
      writeFileSync(file, readFileSync(file, 'utf8').replace(/^date: .*\n/m, '$&issue: null\n'));
      commit(editor, '-m', subject);
    },
  ],
  [
    'numbers and then a change',
    async (editor) => {
      await number(editor);
      write(editor);
      commit(editor, '-m', 'Change the README');
    },
  ],
  [
    'numbers with a change in the same commit',
    async (editor) => {
      await number(editor);
      write(editor, 'agents/two/prompt.txt');
      commit(editor, '--amend', '--no-edit');
    },
  ],
  ['numbers under another name', async (editor) => [await number(editor), commit(editor, '--amend', '-m', 'Count')]],
  [
    'numbers under a longer name',
    async (editor) => [await number(editor), commit(editor, '--amend', '-m', `Redo: ${subject}`)],
  ],
  [
    'numbers under a shorter name',
    async (editor) => [await number(editor), commit(editor, '--amend', '-m', 'Publish No. two')],
  ],
];
for (const [what, make] of branches) {
  test(`on a branch that is behind, a person's commits stay: ${what}`, () =>
    inRepository(async ({ editor }) => {
      await make(editor);
      gain(editor);
      const words = /This branch and origin\/main have diverged\. Run git pull --rebase/;
      await refused(editor, words, () => publish(editor, ['--push']));
    }));
}

test('an agent of an update may use settings that the update brings', () =>
  inRepository(async ({ editor }) => {
    const categories = { ...smallSettings.categories, cooking: { label: 'Cooking', description: 'Recipes.' } };
    const two = smallAgent({ slug: 'two', date: '2027-03-02', front: { category: 'cooking' } });
    gain(editor, {
      'catalog.config.json': JSON.stringify({ ...smallSettings, categories }),
      'agents/two/agent.md': two['agent.md'] as string,
    });
    const { stderr } = await publish(editor, ['--push']);
    assert.is(issueOf(editor, 'two'), '2', stderr);
  }));

test('a new file that an update would overwrite stays, and the message says what git said', () =>
  inRepository(async ({ editor }) => {
    gain(editor, { 'notes.txt': 'Theirs.\n' });
    writeFiles(editor, { 'notes.txt': 'Mine.\n' });
    const words = /Cannot update this branch to origin\/main \(git: .*would be overwritten by merge/;
    await refused(editor, words, () => publish(editor, ['--push']));
  }));

test('files of an update that git cannot finish are restored, so that the next run publishes', () =>
  inRepository(async ({ editor }) => {
    gain(editor, { 'a.txt': 'Theirs.\n', 'agents/one/agent.md': 'Theirs.\n', 'b.txt': 'Theirs.\n' });
    // Git updates files in the order of their paths, and stops at the last one.
    writeFileSync(join(editor, '.git/info/attributes'), 'b.txt filter=broken\n');
    gitSync(editor, 'config', 'filter.broken.smudge', 'false');
    gitSync(editor, 'config', 'filter.broken.required', 'true');
    await refused(editor, /Cannot update this branch to origin\/main \(git: /, () => publish(editor, ['--push']));
  }));

/** Makes the remote branch gain a commit during a push: each time, or only the first time. */
function moveOnPush(editor: string, remote: string, { once }: { once: boolean }): void {
  const script = [
    '#!/bin/sh',
    `cd '${remote}' && unset GIT_DIR GIT_PREFIX || exit 1`,
    once ? '[ -e moved ] && exit 0' : '',
    'touch moved',
    'git update-ref refs/heads/main "$(git commit-tree -p main -m Gain "main^{tree}")"',
  ];
  writeFileSync(join(editor, '.git/hooks/pre-push'), `${script.join('\n')}\n`, { mode: 0o755 });
}

test('if the remote moves during the push, the numbers are assigned again on top of it', () =>
  inRepository(async ({ editor, remote }) => {
    moveOnPush(editor, remote, { once: true });
    const { code, stderr } = await publish(editor, ['--push']);
    assert.is(code, 0, stderr);
    assert.equal(subjects(remote), [subject, 'Gain', 'Start']);
  }));

test('if the remote moves during each push, the fifth is the last, and the numbers are removed again', () =>
  inRepository(async ({ editor, remote }) => {
    moveOnPush(editor, remote, { once: false });
    const { code, stderr } = await publish(editor, ['--push']);
    assert.is(code, 1);
    assert.match(
      stderr,
      /origin refused the commit with the numbers \(git: [\s\S]+\)\. The branch moved each time\. Run the command again\. Nothing has changed\./,
    );
    assert.equal(subjects(remote), ['Gain', 'Gain', 'Gain', 'Gain', 'Gain', 'Start']);
    assert.is(gitSync(editor, 'log', '--format=%s', 'origin/main..HEAD'), '');
    assert.is(issueOf(editor, 'two'), undefined);
    assert.is(gitSync(editor, 'status', '--porcelain'), '');
  }));

test.run();

import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { commitMessage } from '../../src/publish/commit-message.ts';
import { writeNumbers } from '../../src/publish/write-numbers.ts';
import { inFolder, type SmallAgent, smallAgent, snapshot, writeCatalog, writeFiles } from '../support/catalog.ts';
import { git } from '../support/forge.ts';
import { identity } from '../support/git.ts';
import { catalog, type Finished } from '../support/process.ts';

/** `catalog publish` where something is in the way: clear words, the right exit code, nothing lost. */

const today = '2027-03-02';
const publish = (cwd: string, args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
  catalog(['publish', '--today', today, ...args], { cwd, env: { ...identity, ...env } });

const agents: SmallAgent[] = [
  { slug: 'one', date: '2027-03-01', front: { issue: '1' } },
  { slug: 'two', date: '2027-03-02' },
];

/** Runs `use` with a catalog that is committed to main, and pushed to a bare repository beside it. */
async function inRepository(
  use: (place: { editor: string; remote: string; folder: string }) => Promise<void>,
  content: SmallAgent[] = agents,
): Promise<void> {
  await inFolder(async (folder) => {
    const editor = join(folder, 'editor');
    const remote = join(folder, 'remote.git');
    mkdirSync(editor);
    writeCatalog(editor, content);
    await git(folder, 'init', '--quiet', '--bare', '--initial-branch', 'main', remote);
    await git(editor, 'init', '--quiet', '--initial-branch', 'main');
    await git(editor, 'remote', 'add', 'origin', remote);
    await git(editor, 'add', '--all');
    await git(editor, 'commit', '--quiet', '-m', 'Start');
    await git(editor, 'push', '--quiet', '--set-upstream', 'origin', 'main');
    await use({ editor, remote, folder });
  });
}

/** Leaves a change that is not committed, which no command may touch. */
function startWork(editor: string): void {
  appendFileSync(join(editor, 'catalog.config.json'), '\n');
}

/** What must not change when a command is refused: the files, and the commits. */
async function state(editor: string): Promise<unknown> {
  const files = Object.entries(snapshot(editor)).filter(([path]) => !path.startsWith('.git/'));
  return [files, await git(editor, 'log', '--all', '--format=%H')];
}

async function refused(editor: string, words: RegExp, run: () => Promise<Finished>): Promise<void> {
  const before = await state(editor);
  const { code, stderr } = await run();
  assert.is(code, 1, stderr);
  assert.match(stderr, words);
  assert.not.match(stderr, /fault of the program|\n +at /);
  assert.equal(await state(editor), before);
}

test('numbers are not committed on a branch that is not published', () =>
  inRepository(async ({ editor }) => {
    await git(editor, 'switch', '--quiet', '--create', 'headline-tester');
    const words = /Numbers are recorded on origin\/main, but headline-tester is checked out\./;
    await refused(editor, words, () => publish(editor, ['--push']));
    await refused(editor, words, () => publish(editor, ['--commit']));
    assert.is((await publish(editor, ['--dry-run'])).code, 0);
  }));

const issueOf = (editor: string, slug: string) =>
  /^issue: (\d+)$/m.exec(readFileSync(join(editor, 'agents', slug, 'agent.md'), 'utf8'))?.[1];

test('numbers are written below the date, and a second run finds nothing to do', async () => {
  await inRepository(async ({ editor }) => {
    const first = await publish(editor);
    assert.is(first.code, 0, first.stderr);
    assert.match(first.stderr, /Published No\. 2: The two agent \(two\)/);
    assert.match(readFileSync(join(editor, 'agents/two/agent.md'), 'utf8'), /^date: 2027-03-02\nissue: 2\n/m);
    const again = await publish(editor);
    assert.is(again.code, 0);
    assert.match(again.stderr, /Nothing new is due/);
  });
});

test('every byte but the new line stays, however the date is written and whatever stands beside it', async () => {
  const front = { title: '"Ünïcödé: two" # \t a note  ', date: "'2027-03-02' # the day" };
  await inRepository(
    async ({ editor }) => {
      const path = join(editor, 'agents/two/agent.md');
      const bytes = readFileSync(path, 'latin1');
      const { code, stderr } = await publish(editor, ['--commit']);
      assert.is(code, 0, stderr);
      const after = readFileSync(path, 'latin1');
      assert.match(after, "'2027-03-02' # the day\nissue: 1\n");
      assert.is(after.replace('issue: 1\n', ''), bytes);
    },
    [{ slug: 'two', date: '2027-03-02', front }],
  );
});

test('front matter that takes no line is left alone, and it is said what to write', async () => {
  const { 'agent.md': text } = smallAgent({ slug: 'two', date: '2027-03-02' });
  const flow = `${text}`.replace(/^---\n([\s\S]*?)\n---\n/, (_, yaml) => `---\n${JSON.stringify(parse(yaml))}\n---\n`);
  await inRepository(
    async ({ editor }) => {
      await refused(editor, /Cannot add `issue: 1` to agents\/two\/agent\.md: write its front matter/, () =>
        publish(editor),
      );
    },
    [{ slug: 'two', date: '2027-03-02', files: { 'agent.md': flow } }],
  );
});

test('--dry-run says what would come out, and writes nothing; --json tells it to machines', async () => {
  await inRepository(async ({ editor }) => {
    const before = await state(editor);
    const { code, stdout, stderr } = await publish(editor, ['--dry-run', '--format', 'json']);
    assert.is(code, 0, stderr);
    const { releases, skipped, commit, dryRun } = JSON.parse(stdout);
    assert.equal(
      { releases, skipped, commit, dryRun },
      {
        releases: [{ slug: 'two', issue: 2, date: '2027-03-02', title: 'The two agent' }],
        skipped: [],
        commit: null,
        dryRun: true,
      },
    );
    assert.equal(await state(editor), before);
  });
});

test('--commit commits the numbers and nothing else, with a message that lists the issues', async () => {
  await inRepository(async ({ editor }) => {
    writeFiles(editor, { 'notes.txt': 'not in git\n' });
    const { code, stderr } = await publish(editor, ['--commit']);
    assert.is(code, 0, stderr);
    assert.is(
      (await git(editor, 'show', '--format=%B', '--name-only')).trim(),
      'Publish No. 2: The two agent\n\n- No. 2, 2027-03-02: The two agent (two)\n\n\nagents/two/agent.md',
    );
    assert.match(await git(editor, 'status', '--porcelain'), '?? notes.txt');
  });
});

const titles: [title: string, inMessage: string][] = [
  ['Fix it [skip ci]', 'Fix it (skip ci)'],
  ['***NO_CI*** notes', '*NO_CI* notes'],
  ['Closes #1 and fixes press/catalog#2, GH-3', 'Closes # 1 and fixes press/catalog# 2, GH 3'],
  ['Ask @press/editors, now!', 'Ask @ press/editors, now!'],
  ['skip-checks: true', 'skip-checks - true'],
  ['See https://github.com/press/catalog/issues/4', 'See https: //github.com/press/catalog/issues/4'],
  ['Two\nlines\r\nand\u2028more\u001b[31m', 'Two lines and more (31m'],
  ['Read \u202eit\u0007', 'Read it'],
  ['C# notes, 50% shorter: R&D!', 'C# notes, 50% shorter: R&D!'],
];
for (const [title, inMessage] of titles) {
  test(`a title is only words in a commit message: ${JSON.stringify(title)}`, () => {
    const release = { slug: 'one', issue: 7, date: '2027-03-01', title };
    assert.is(commitMessage([release]), `Publish No. 7: ${inMessage}\n\n- No. 7, 2027-03-01: ${inMessage} (one)\n`);
  });
}

test('a working tree with changes is refused, and named; --allow-dirty lets it be', async () => {
  await inRepository(async ({ editor }) => {
    writeFiles(editor, { 'agents/one/prompt.txt': `${smallAgent({ slug: 'one', date: today })['prompt.txt']}` });
    startWork(editor);
    await refused(editor, /uncommitted changes:[\s\S]*catalog\.config\.json[\s\S]*--allow-dirty/, () =>
      publish(editor),
    );
    assert.is((await publish(editor, ['--allow-dirty'])).code, 0);
    assert.is(issueOf(editor, 'two'), '2');
  });
});

test('an agent that git does not have is never committed in part', async () => {
  await inRepository(async ({ editor }) => {
    await git(editor, 'rm', '--quiet', '--cached', 'agents/two/prompt.txt');
    await git(editor, 'commit', '--quiet', '-m', 'Forget a file');
    await refused(editor, /agents\/two are not in git/, () => publish(editor, ['--commit', '--allow-dirty']));
  });
});

test('a branch behind its remote is refused, also when nobody fetched; --push brings it up to date', async () => {
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
    assert.match(behind.stderr, /lacks a commit of origin\/main[\s\S]*git pull[\s\S]*--allow-behind/);
    assert.is(readFileSync(join(editor, 'agents/two/agent.md'), 'utf8'), before);
    startWork(editor);
    const work = readFileSync(join(editor, 'catalog.config.json'), 'utf8');
    const pushed = await publish(editor, ['--push', '--allow-dirty']);
    assert.is(pushed.code, 0, pushed.stderr);
    assert.ok(existsSync(join(editor, 'README.md')));
    assert.is(readFileSync(join(editor, 'catalog.config.json'), 'utf8'), work);
    assert.is(await git(editor, 'status', '--porcelain'), ' M catalog.config.json\n');
    assert.match(await git(remote, 'log', '-1', '--format=%s', 'main'), 'Publish No. 2');
  });
});

test('a remote that does not answer is said to; --allow-behind goes on without it', async () => {
  await inRepository(async ({ editor, remote }) => {
    rmSync(remote, { recursive: true });
    await refused(editor, /origin did not answer[\s\S]*--allow-behind/, () => publish(editor));
    await refused(editor, /origin did not answer/, () => publish(editor, ['--push']));
    assert.is((await publish(editor, ['--allow-behind', '--commit'])).code, 0);
  });
});

test('a push that the remote refuses is taken back, with the reason, and changes that are not committed stay', async () => {
  await inRepository(async ({ editor, remote }) => {
    const hook = '#!/bin/sh\necho "error: GH006: Protected branch update failed" >&2\nexit 1\n';
    writeFileSync(join(remote, 'hooks/pre-receive'), hook, { mode: 0o755 });
    startWork(editor);
    await refused(editor, /GH006: Protected branch[\s\S]*docs\/publishing\.md[\s\S]*Nothing has changed/, () =>
      publish(editor, ['--push', '--allow-dirty']),
    );
  });
});

test('a commit that git refuses is taken back, and changes that are not committed stay', async () => {
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

test('numbers that cannot all be written are all taken back', () =>
  inFolder((folder) => {
    writeCatalog(folder, [{ slug: 'one', date: '2027-03-01' }, ...agents.slice(1)]);
    const before = snapshot(folder);
    const releases = ['one', 'two'].map((slug, index) => ({ slug, issue: index + 1, date: today, title: slug }));
    // A folder where the draft of the second file goes.
    const inTheWay = join(folder, `agents/two/.agent.md.draft-${process.pid}`);
    mkdirSync(inTheWay);
    assert.throws(() => writeNumbers(folder, releases), /Cannot write the numbers\..*Nothing has changed/);
    rmSync(inTheWay, { recursive: true });
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
    await refused(editor, /have diverged\.[\s\S]*git pull --rebase/, () => publish(editor, ['--push']));
  });
});

test('a detached HEAD, a bare repository, a folder without git, and no git at all are told apart', async () => {
  await inRepository(async ({ editor, remote, folder }) => {
    await git(editor, 'checkout', '--quiet', '--detach');
    await refused(editor, /HEAD is detached[\s\S]*git switch/, () => publish(editor));
    await refused(editor, /HEAD is detached/, () => publish(editor, ['--commit', '--allow-behind']));
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

    const missing = await publish(editor, [], { PATH: folder });
    assert.is(missing.code, 1);
    assert.match(missing.stderr, /no program `git` on the PATH/);
    assert.is(issueOf(editor, 'two'), undefined);
  });
});

test('a shallow clone publishes like any other', async () => {
  await inRepository(async ({ remote, folder }) => {
    const shallow = join(folder, 'shallow');
    await git(folder, 'clone', '--quiet', '--depth', '1', `file://${remote}`, shallow);
    const { code, stderr } = await publish(shallow, ['--push']);
    assert.is(code, 0, stderr);
    assert.match(await git(remote, 'log', '-1', '--format=%s', 'main'), 'Publish No. 2');
  });
});

test('one number on two branches: after the merge it is said which one moves, and the next agent comes out', async () => {
  const twice: SmallAgent[] = [
    { slug: 'one', date: '2027-03-01', front: { issue: '1' } },
    { slug: 'own', date: '2027-03-02', front: { issue: '1' } },
  ];
  await inRepository(
    async ({ editor }) => {
      writeFiles(editor, { 'agents/own/agent.md': `${smallAgent(twice[1] as SmallAgent)['agent.md']}` });
      await git(editor, 'commit', '--quiet', '--all', '-m', 'Merge a branch');
      const { code, stderr } = await publish(editor, ['--today', '2027-03-03']);
      assert.is(code, 0, stderr);
      assert.match(stderr, /Skipped: own[\s\S]*Number 1 belongs to `one`[\s\S]*Delete the `issue` line/);
      assert.is(issueOf(editor, 'next'), '2');
    },
    [twice[0] as SmallAgent, { slug: 'own', date: '2027-03-02' }, { slug: 'next', date: '2027-03-03' }],
  );
});

test('a taken and a past date are skipped, a free one is named, the rest is published', async () => {
  await inRepository(
    async ({ editor }) => {
      const { code, stderr, stdout } = await publish(editor, ['--format', 'json']);
      assert.is(code, 0, stderr);
      const { releases, skipped, freeDate } = JSON.parse(stdout);
      assert.equal(
        releases.map(({ slug }: { slug: string }) => slug),
        ['two'],
      );
      assert.equal(
        skipped.map(({ slug }: { slug: string }) => slug),
        ['past', 'two-as-well'],
      );
      assert.is(freeDate, '2027-03-03');
      assert.match(stderr, /2027-03-02 is the date of `two`/);
      assert.match(stderr, /2027-02-27 is before 2027-03-01/);
    },
    [...agents, { slug: 'two-as-well', date: '2027-03-02' }, { slug: 'past', date: '2027-02-27' }],
  );
});

test('a folder of a larger repository is a catalog too', async () => {
  await inFolder(async (folder) => {
    writeCatalog(join(folder, 'press/catalog'), agents);
    writeFiles(folder, { 'README.md': 'A repository of many things.\n' });
    await git(folder, 'init', '--quiet', '--initial-branch', 'main');
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '-m', 'Start');
    const { code, stderr } = await publish(join(folder, 'press/catalog'), ['--commit']);
    assert.is(code, 0, stderr);
    assert.match(await git(folder, 'show', '--name-only', '--format='), 'press/catalog/agents/two/agent.md');
  });
});

test.run();

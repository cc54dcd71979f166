import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { breakRenderer } from '../support/break-renderer.ts';
import { inFolder, type SmallAgent, smallAgent, writeCatalog, writeFiles } from '../support/catalog.ts';
import { git } from '../support/git.ts';
import { agents, inRepository, issueOf, publish, refused, state } from '../support/publication.ts';

/** `catalog publish` without obstacles: the numbers that it writes, commits and reports. */

test('numbers are written below the date, and a second run finds nothing to do', async () => {
  await inRepository(async ({ editor }) => {
    const first = await publish(editor);
    assert.is(first.code, 0, first.stderr);
    const low =
      'warning: No agent is ready for tomorrow. The queue is below queueWarningDays (3 days). Start an agent with npx --no daily-agent-catalog new.\n';
    assert.is(
      first.stderr,
      `${low}Published No. 2: The two agent (two)\n` +
        'The issue numbers are written but not committed. Commit them with git, or add --commit next time.\n' +
        'No agent is scheduled next. Start one with npx --no daily-agent-catalog new.\n',
    );
    assert.match(readFileSync(join(editor, 'agents/two/agent.md'), 'utf8'), /^date: 2027-03-02\nissue: 2\n/m);
    const again = await publish(editor);
    assert.is(again.code, 0);
    assert.match(again.stderr, /^Nothing new is due on 2027-03-02\.$/m);
    assert.not.match(again.stderr, 'not committed');
  });
});

test('only the new line changes the file, however the date is written and whatever surrounds it', async () => {
  const front = {
    title: '"Ünïcödé: two" # \t a note  ',
    problem: `Ada’s ${'list '.repeat(9)}is wrong.`,
    date: "'2027-03-02' # the day",
  };
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

test('front matter that the line cannot be added to is left unchanged, and the message says what to write', async () => {
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

test('--dry-run says what would be published, and writes nothing; --json prints it for programs', async () => {
  await inRepository(async ({ editor }) => {
    const before = await state(editor);
    const { code, stdout, stderr } = await publish(editor, ['--dry-run', '--format', 'json']);
    assert.is(code, 0, stderr);
    const { releases, skipped, commit, pushed, dryRun } = JSON.parse(stdout);
    assert.equal(
      { releases, skipped, commit, pushed, dryRun },
      {
        releases: [{ slug: 'two', issue: 2, date: '2027-03-02', title: 'The two agent' }],
        skipped: [],
        commit: null,
        pushed: false,
        dryRun: true,
      },
    );
    assert.match((await publish(editor, ['--dry-run'])).stderr, '\nWould publish No. 2: The two agent (two)\nNo agent');
    assert.equal(await state(editor), before);
  });
});

test('--commit commits only the numbers, with a message that lists them', async () => {
  const coming: SmallAgent = { slug: 'coming', date: '2027-03-09', front: { title: 'To come' } };
  const broken: SmallAgent = { slug: 'later', date: '2027-03-10', front: { difficulty: 'none' } };
  await inRepository(
    async ({ editor }) => {
      writeFiles(editor, { 'notes.txt': 'not in git\n' });
      const hook = '#!/bin/sh\necho Formatted. | tee -a agents/two/agent.md > log && git add agents/two log\n';
      writeFileSync(join(editor, '.git/hooks/pre-commit'), hook, { mode: 0o755 });
      const { code, stderr } = await publish(editor, ['--commit']);
      assert.is(code, 0, stderr);
      const commit = (await git(editor, 'rev-parse', 'HEAD')).slice(0, 12);
      assert.equal(stderr.split('\n').slice(1), [
        'catalog validate also reports 1 error that did not stop this.',
        'Published No. 2: The two agent (two)',
        `Committed as ${commit}.`,
        'Next: No. 3 on 2027-03-09, To come.',
        '',
      ]);
      assert.is(
        (await git(editor, 'show', '--format=%B', '--name-only')).trim(),
        'Publish No. 2: The two agent\n\n- No. 2, 2027-03-02: The two agent (two)\n\n\nagents/two/agent.md\nlog',
      );
      assert.match(await git(editor, 'show', 'HEAD:agents/two/agent.md'), /\nFormatted\.\n$/);
      assert.is(await git(editor, 'status', '--porcelain'), '?? notes.txt\n');
    },
    [...agents, coming, broken],
  );
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

test('if two branches use one number, the error after the merge says which agent to change, and the next agent is published', async () => {
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
      assert.match(stderr, /Skipped: own[\s\S]*Issue number 1 already belongs to `one`[\s\S]*Delete the `issue` line/);
      assert.is(issueOf(editor, 'next'), '2');
    },
    [twice[0] as SmallAgent, { slug: 'own', date: '2027-03-02' }, { slug: 'next', date: '2027-03-03' }],
  );
});

test('agents with a used or a past date are skipped, a free date is suggested, and the others are published', async () => {
  await inRepository(
    async ({ editor }) => {
      const { code, stderr, stdout } = await publish(editor, ['--format', 'json', '--today', '2027-03-04']);
      assert.is(code, 0, stderr);
      const { releases, skipped, freeDate, commit, pushed } = JSON.parse(stdout);
      assert.equal([commit, pushed], [null, false]);
      assert.equal(
        releases.map(({ slug }: { slug: string }) => slug),
        ['two'],
      );
      assert.equal(
        skipped.map(({ slug, date }: { slug: string; date: string }) => `${slug} ${date}`),
        ['past 2027-02-27', 'two-as-well 2027-03-02', 'wrong 2027-03-03'],
      );
      assert.is(freeDate, '2027-03-04');
      // Each of them gets a date of its own.
      const fix = 'If a later agent is already published, also give it a free date, such as 2027-03-06.';
      assert.match(stderr, `Skipped: wrong. Fix its errors. ${fix}\n`);
      assert.match(stderr, 'Skipped: past. Fix its errors.\n');
      assert.match(stderr, /`two` already has the date 2027-03-02[\s\S]*2027-03-04 is free/);
      assert.match(stderr, /2027-02-27 is before 2027-03-01[\s\S]*2027-03-05 is free/);
    },
    [
      ...agents,
      ...[{ slug: 'two-as-well', date: '2027-03-02' }],
      ...[{ slug: 'past', date: '2027-02-27' }],
      ...[{ slug: 'wrong', date: '2027-03-03', front: { difficulty: 'medum' } }],
    ],
  );
});

test('--json has the errors of skipped agents apart from the problems of coming ones', () =>
  inRepository(
    async ({ editor }) => {
      const { code, stdout } = await publish(editor, ['--dry-run', '--format', 'json']);
      assert.is(code, 0);
      const { skipped, warnings } = JSON.parse(stdout);
      const short = ({ code, slug }: { code: string; slug: string }) => `${slug} ${code}`;
      const [{ slug, date, errors }] = skipped;
      assert.equal([skipped.length, slug, date], [1, 'faulty', '2027-03-02']);
      assert.equal(errors.map(short), ['faulty front-matter/value']);
      assert.equal(warnings.map(short), ['later front-matter/value']);
    },
    [
      agents[0] as SmallAgent,
      { slug: 'faulty', date: '2027-03-02', front: { difficulty: 'none', tags: '[testing]' } },
      { slug: 'later', date: '2027-03-03', front: { difficulty: 'none' } },
    ],
  ));

test('an error in a published agent stops the command, and nothing is numbered', () =>
  inRepository(
    async ({ editor }) => refused(editor, /1 error/, () => publish(editor, ['--commit'])),
    [{ slug: 'one', date: '2027-03-01', front: { issue: '1', difficulty: 'none' } }, agents[1] as SmallAgent],
  ));

test('a new agent that cannot be rendered is skipped, and the others are published', async () => {
  const breaking: SmallAgent = { slug: 'breaking', date: '2027-03-01' };
  const restore = breakRenderer('breaks');
  try {
    await inRepository(
      async ({ editor }) => {
        const { code, stderr } = await publish(editor);
        assert.is(code, 0, stderr);
        assert.match(stderr, /Skipped: breaking\./);
        assert.equal([issueOf(editor, 'breaking'), issueOf(editor, 'two')], [undefined, '2']);
      },
      [
        { slug: 'one', date: '2027-02-27', front: { issue: '1' } },
        { ...breaking, files: { 'agent.md': `${smallAgent(breaking)['agent.md']}It breaks.\n` } },
        agents[1] as SmallAgent,
      ],
    );
  } finally {
    restore();
  }
});

test('a template that cannot be read stops only a run that would publish an agent', () =>
  inRepository(async ({ editor }) => {
    writeFiles(editor, { 'templates/agent.hbs': '{{#if' });
    assert.match((await publish(editor, ['--today', '2027-03-01'])).stderr, /^Nothing new is due on 2027-03-01\.$/m);
    await refused(editor, /templates\/agent\.hbs/, () => publish(editor));
  }));

test('a catalog can be a folder of a larger repository, also below a folder whose name has a line break', async () => {
  await inFolder(async (above) => {
    const folder = join(above, 'two\nlines');
    writeCatalog(join(folder, 'press/catalog'), agents);
    writeFiles(folder, { 'README.md': 'A repository of many things.\n' });
    await git(folder, 'init', '--quiet', '--initial-branch', 'main');
    await git(folder, 'add', '--all');
    await git(folder, 'commit', '--quiet', '-m', 'Start');
    // A hook gets this variable from git in a linked working tree.
    const env = { GIT_DIR: join(folder, '.git') };
    const { code, stderr } = await publish(join(folder, 'press/catalog'), ['--commit'], env);
    assert.is(code, 0, stderr);
    assert.match(await git(folder, 'show', '--name-only', '--format='), 'press/catalog/agents/two/agent.md');
  });
});

test('a tag may have the name of the branch', () =>
  inRepository(async ({ editor, remote }) => {
    await git(editor, 'tag', 'main');
    const { code, stderr } = await publish(editor, ['--push']);
    assert.is(code, 0, stderr);
    assert.is(await git(remote, 'rev-parse', 'main'), await git(editor, 'rev-parse', 'HEAD'));
  }));

for (const [name, remote, merge] of [
  ['another branch of the same repository', '.', 'other'],
  ['a branch with another name', 'origin', 'main'],
  ['the repository that origin is a fork of', 'upstream', 'main'],
] as const) {
  test(`a branch that follows ${name} is pushed to the default branch of the remote`, () =>
    inRepository(async ({ editor, remote: bare }) => {
      const branch = remote === '.' ? 'main' : 'work';
      await git(editor, 'branch', 'other');
      await git(editor, 'branch', '--move', branch);
      await git(editor, 'remote', 'add', 'upstream', bare);
      await git(editor, 'config', `branch.${branch}.remote`, remote);
      await git(editor, 'config', `branch.${branch}.merge`, `refs/heads/${merge}`);
      const { code, stderr } = await publish(editor, ['--push']);
      assert.is(code, 0, stderr);
      assert.is(await git(bare, 'rev-parse', 'main'), await git(editor, 'rev-parse', 'HEAD'));
    }));
}

test.run();

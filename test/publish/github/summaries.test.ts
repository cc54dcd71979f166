import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { publicationSummary } from '../../../src/publish/github.ts';
import { inFolder, type SmallAgent, writeCatalog } from '../../support/catalog.ts';
import { git } from '../../support/git.ts';
import { goodPrompt } from '../../support/good-agent.ts';
import { catalog } from '../../support/process.ts';
import { inRepository, publish } from '../../support/publication.ts';

/** What a run of a workflow shows at the bottom of its page, and what its next steps get. */

const faulty: SmallAgent[] = [
  { slug: 'a', date: '2026-01-01', front: { excerpt: 'Too short | <b>.' } },
  { slug: 'b', date: '2026-01-02', front: { difficulty: '"me|dum"' } },
];

async function summaryOf(folder: string, ...args: string[]): Promise<string> {
  const file = join(folder, 'summary.md');
  writeFileSync(file, '');
  await catalog([...args, '--format', 'github', '--cwd', folder], { env: { GITHUB_STEP_SUMMARY: file } });
  return readFileSync(file, 'utf8');
}

test('the summary of validate is a table with errors first, which text of agents cannot break', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [...faulty, { slug: 'c', date: '2026-01-03' }], {
      rules: { 'editorial/excerpt': 'warning', 'editorial/near-duplicate': 'off' },
    });
    const lines = (await summaryOf(folder, 'validate')).split('\n');
    assert.equal(lines.slice(0, 6), [
      '## Validation',
      '',
      '1 error, 1 warning in 3 agents.',
      '',
      '| | Location | Problem | How to fix it |',
      '|---|---|---|---|',
    ]);
    const cells = lines.slice(6).map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
    assert.equal(
      cells.map(([, severity, place, problem]) => [severity, place, problem]),
      [
        [
          'error',
          'agents/b/agent&#46;md\\:6\\:13',
          '\\`difficulty\\` is "me\\|dum"; it has to be one of easy, medium, hard. (front-matter/value)',
        ],
        [
          'warning',
          'agents/a/agent&#46;md\\:8\\:10',
          '\\`excerpt\\` has 16 characters; it has to be 60 to 160 characters long. (editorial/excerpt)',
        ],
        [undefined, undefined, undefined],
      ],
    );
    assert.is(cells[0]?.[4], 'Did you mean medium?');
    assert.match(await summaryOf(folder, 'validate', 'b'), '\n1 error in 1 agent.\n');
  }));

test('a hint that quotes a table of the prompt stays in its cell', () =>
  inFolder(async (folder) => {
    const files = { 'prompt.txt': goodPrompt, 'sample-output.txt': 'Nothing.\n' };
    writeCatalog(folder, [{ slug: 'a', date: '2026-01-01', files }]);
    const line = (await summaryOf(folder, 'validate')).split('\n').find((each) => each.includes('editorial/sample'));
    assert.is(
      line
        ?.split(/(?<!\\)\|/)
        .at(-2)
        ?.trim(),
      'Use exactly the columns of OUTPUT\\: \\| article \\| shown \\| verdict \\| look up \\|',
    );
  }));

test('the summary of a valid catalog says how many agents were checked', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'a', date: '2026-01-01' }]);
    assert.is(await summaryOf(folder, 'validate'), '## Validation\n\n1 agent checked, no problems.\n');
  }));

/** Runs `catalog publish --format github` and returns the summary and the outputs of the step. */
async function published(editor: string, ...args: string[]) {
  const files = { GITHUB_STEP_SUMMARY: join(editor, '../summary.md'), GITHUB_OUTPUT: join(editor, '../outputs') };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const { stdout } = await publish(editor, ['--format', 'github', ...args], files);
  const outputs = readFileSync(files.GITHUB_OUTPUT, 'utf8').matchAll(/^(\w+)<<(.*)\n([\s\S]*?)\n\2$/gm);
  return {
    stdout,
    summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8'),
    outputs: Object.fromEntries([...outputs].map(([, name, , value]) => [name, value])),
  };
}

test('the summary of publish names what is published, skipped and next; the next steps get the facts', () =>
  inRepository(
    async ({ editor }) => {
      const commit = (await git(editor, 'rev-parse', 'HEAD')).trim();
      const { stdout, summary, outputs } = await published(editor, '--commit');
      assert.match(
        stdout,
        /^::error file=agents\/two\/agent\.md,line=6,col=13,endColumn=18,title=front-matter\/value::/,
      );
      const [before, fence, after] = summary.split(/```(?:text)?\n/);
      assert.is(
        before,
        '## Publication on 2027-03-02\n\nPublished:\n- No. 2: The &lt;late&gt; agent (late)\n\n' +
          'Skipped: **two**. Fix its errors. If a later agent is already published, also give it a free date, such as 2027-03-03.\n\n',
      );
      assert.match(fence ?? '', /^agents\/two\/agent\.md:6:13 {2}error {2}front-matter\/value\n[\s\S]*\n1 error\n$/);
      assert.is(
        after,
        '\nNext: No. 3 on 2027-03-05, Five \\*stars\\*.\n\n**The queue is running low.** No agent is ready for tomorrow.\n',
      );
      const head = (await git(editor, 'rev-parse', 'HEAD')).trim();
      assert.is.not(head, commit);
      assert.equal(outputs, { today: '2027-03-02', commit: head, published: '1', attention: 'true' });
      const again = await published(editor, '--commit');
      assert.equal(again.outputs, { ...outputs, published: '0' });
    },
    [
      { slug: 'one', date: '2027-02-27', front: { issue: '1' } },
      { slug: 'late', date: '2027-03-01', front: { title: 'The <late> agent' } },
      { slug: 'two', date: '2027-03-02', front: { difficulty: 'medum' } },
      { slug: 'five', date: '2027-03-05', front: { title: '"Five *stars*"' } },
    ],
  ));

test('a number that was changed is reported where it changed, and the recorded one is used', () =>
  inRepository(
    async ({ editor }) => {
      const path = join(editor, 'agents/one/agent.md');
      writeFileSync(path, readFileSync(path, 'utf8').replace('issue: 1\n', 'issue: 9\n'));
      await git(editor, 'commit', '--quiet', '--all', '-m', 'Edit');
      await git(editor, 'push', '--quiet');
      const missing = { GITHUB_OUTPUT: join(editor, 'missing/outputs') };
      const { stdout, stderr: said } = await publish(editor, ['--format', 'github', '--dry-run'], missing);
      assert.match(
        said,
        /^No agent is scheduled next\..*\nerror: GITHUB_OUTPUT \(.*missing\/outputs\) cannot be written: /m,
      );
      assert.match(stdout, /^::error file=agents\/one\/agent\.md,.*title=issue\/order::/m);
      const { stderr } = await publish(editor, ['--dry-run']);
      assert.match(stderr, /issue\/order[\s\S]*\nThe issue numbers recorded in git were used instead\.\n/);
    },
    [
      { slug: 'one', date: '2027-02-27', front: { issue: '1' } },
      { slug: 'two', date: '2027-02-28', front: { issue: '2' } },
    ],
  ));

test('a notice is a warning in the summary, which it cannot break', () => {
  const published = {
    ...{ today: '2027-03-02', releases: [], skipped: [], freeDate: '2027-03-03', warnings: [], next: null },
    ...{ notices: ['No. 2 (<b>two</b>) was deleted.'], queueDays: 0, queueLow: false, commit: null, pushed: false },
  };
  assert.is(
    publicationSummary(published).join('\n'),
    '## Publication on 2027-03-02\n\nNo new agent is due.\n\n**Warning:** No. 2 \\(&lt;b&gt;two&lt;/b&gt;\\) was deleted.\n\nNo agent is scheduled next.',
  );
});

test('a day on which nothing is due and nothing is wrong needs no attention', () =>
  inRepository(
    async ({ editor }) => {
      const { stdout, summary, outputs } = await published(editor, '--dry-run');
      assert.is(stdout, '');
      assert.is(
        summary,
        '## Publication on 2027-03-02\n\nNo new agent is due.\n\nNext: No. 2 on 2027-03-03, The a agent.\n',
      );
      const commit = (await git(editor, 'rev-parse', 'HEAD')).trim();
      assert.equal(outputs, { today: '2027-03-02', commit, published: '0', attention: 'false' });
    },
    [
      { slug: 'one', date: '2027-03-02', front: { issue: '1' } },
      ...['03', '04', '05'].map((day, index) => ({ slug: 'abc'[index] as string, date: `2027-03-${day}` })),
    ],
  ));

test('a queue that is running low needs attention, even if nothing else is wrong', () =>
  inRepository(
    async ({ editor }) => assert.is((await published(editor, '--dry-run')).outputs.attention, 'true'),
    [{ slug: 'one', date: '2027-03-02', front: { issue: '1' } }],
  ));

test.run();

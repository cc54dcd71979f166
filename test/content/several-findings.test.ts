import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { editorialFindings } from '../../src/content/rules/index.ts';
import type { SmallAgent } from '../support/catalog.ts';
import { edit, prompt } from '../support/editorial-mistakes.ts';
import { evalsFiles, recorded } from '../support/evals.ts';
import { goodPrompt } from '../support/good-agent.ts';
import { contentOf } from '../support/memory.ts';

/** Several mistakes of one kind in one agent, each of which is reported where it is. */

type Change = Partial<SmallAgent>;

const contentWith = (change: Change) => contentOf([{ slug: 'one', date: '2026-01-01', ...change }], '2026-01-01');
const folderWith = (change: Change) => contentWith(change).folders[0];

/** Everything that is wrong with one agent, each as `file:line:column code`. */
function places(change: Change): string[] {
  const { folders, diagnostics } = contentWith(change);
  return [...diagnostics, ...folders.flatMap((folder) => editorialFindings(folder, 'en'))].map(
    ({ file, line, column, code }) => `${file.slice('agents/one/'.length)}:${line}:${column} ${code}`,
  );
}

const praise = 'editorial/measurable';
const token = ['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6'].join('_');
const recordings = 'evals/recordings/some-model';
const answered = JSON.stringify({ cases: { sample: recorded() } });
const checks =
  'sample:\n  checks:\n    - contains: Odd\n    - contains: Never\n    - regex: ^Rows\n    - contains: Nobody\n';

const rows: [name: string, change: Change, found: string[]][] = [
  [
    'two words of praise in a line',
    prompt('Report at most', 'Report the best and most comprehensive at most'),
    [`prompt.txt:10:15 ${praise}`, `prompt.txt:10:29 ${praise}`],
  ],
  [
    'a third rule over two lines',
    prompt('of NOTES contra', 'of NOTES\n   contra'),
    ['prompt.txt:11:1 editorial/rules-count'],
  ],
  [
    'two lines that almost declare an input',
    {
      files: {
        'prompt.txt': edit(
          edit(goodPrompt, 'NOTES are data.', '- DAYS: the days\n- SHELVES: the plan\nNOTES are data.'),
          'Change nothing',
          'Change nothing of DAYS and SHELVES',
        ),
      },
    },
    ['prompt.txt:6:3 editorial/inputs', 'prompt.txt:7:3 editorial/inputs'],
  ],
  [
    'hints for readers for an input that the prompt declares, for a mistyped one and for another',
    { front: { inputs: '{ NOTES: What they wrote, NOTE: Mistyped, PHOTOS: Some pictures }' } },
    ['agent.md:30:41 editorial/inputs', 'agent.md:30:59 editorial/inputs'],
  ],
  [
    'an input after one space that is almost declared',
    prompt('NOTES are data.', ' - SENDER: who wrote it\nNOTES are data.'),
    ['prompt.txt:6:4 editorial/inputs'],
  ],
  [
    'a placeholder after code in its line',
    prompt('line of ROWS', '`a line` of [insert a name] ROWS'),
    ['prompt.txt:9:27 editorial/placeholder'],
  ],
  [
    'a number before its time, and an error',
    { date: '2026-01-09', front: { issue: '1', difficulty: 'none' } },
    ['agent.md:30:8 issue/early', 'agent.md:6:13 front-matter/value'],
  ],
  [
    'two wrong values next to a line that is no YAML, each in its own line',
    { front: { tags: 'a\n  b: c', difficulty: 'medum', steps: '\n  - name: Add the mails' } },
    ['agent.md:12:5 front-matter/missing-key', 'agent.md:6:1 front-matter/yaml', 'agent.md:7:13 front-matter/value'],
  ],
  [
    'three inputs that are never used',
    prompt('NOTES are', '- DAYS (optional): x\n- SHELVES (optional): x\n- MATS (optional): x\nNOTES are'),
    [6, 7, 8].map((line) => `prompt.txt:${line}:3 editorial/input-contract`),
  ],
  [
    'two texts that are cut off by a comment',
    {
      front: {
        excerpt: 'Finds the rows of a stock list that cannot be right, with ticket #12.',
        problem: 'Ada has a list that nobody has checked for a year, and ticket #12 asks for it.',
      },
    },
    ['agent.md:8:10 editorial/excerpt', 'agent.md:8:75 editorial/portable', 'agent.md:9:72 editorial/portable'],
  ],
  [
    'a second and a fourth check that the sample output fails',
    { files: { 'evals/checks.yaml': checks } },
    ['evals/checks.yaml:4:7 editorial/checks', 'evals/checks.yaml:6:7 editorial/checks'],
  ],
  [
    'three mistakes in a JSON text',
    { files: { 'config.json': '{\'a\': 1, // x\n "b": 2,\n}\n' } },
    ['config.json:1:10 config/json', 'config.json:1:2 config/json', 'config.json:2:8 config/json'],
  ],
  [
    'three configs',
    { files: { 'config.ini': 'a=1\n', 'config.md': 'a\n', 'config.txt': 'a\n' } },
    ['config.md:1:1 folder/two-configs', 'config.txt:1:1 folder/two-configs'],
  ],
  [
    'a secret in a file that does not belong to an agent',
    { files: { 'notes.md': `x\r\n${token}\n` } },
    ['notes.md:1:1 folder/unknown-file', 'notes.md:2:1 text/secret'],
  ],
  [
    'a recorded answer with the name of a property that every object has',
    {
      files: {
        'evals/checks.yaml': 'sample:\n  checks:\n    - contains: Odd\n',
        [`${recordings}/recording.json`]: answered,
        [`${recordings}/sample.txt`]: 'Odd\n',
        [`${recordings}/constructor.txt`]: 'Odd\n',
      },
    },
    [`${recordings}/constructor.txt:1:1 evals/recording`],
  ],
  [
    'a merge conflict, which hides mistakes of writing',
    { files: { 'sample-input.txt': 'x\n<<<<<<< HEAD\n' } },
    ['sample-input.txt:2:1 text/conflict'],
  ],
];
for (const [name, change, found] of rows) {
  test(`reports ${name}`, () => assert.equal(places(change).sort(), found));
}

test('of sixty unknown keys, fifty are reported', () => {
  const front = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`key${index}`, '1']));
  assert.is(places({ front }).length, 50);
});

test('a merge conflict in agent.md leaves the number and the date of the agent', () => {
  const schedule = (front: Change['front']) => {
    const text = `${folderWith({ front: front ?? {} })
      ?.texts()
      .get('agent.md')}\n<<<<<<< HEAD\n`;
    return folderWith({ files: { 'agent.md': text } })?.schedule;
  };
  const known = { title: null, date: '2026-01-01', issue: null, draft: false, withdrawn: false, formerSlugs: [] };
  assert.equal(schedule({ issue: '7' }), { ...known, issue: 7 });
  assert.equal(schedule({ draft: 'true' }), { ...known, draft: true });
});

test('an agent with the same texts in another file is another one', () => {
  const digest = (name: string) => folderWith({ files: { [name]: 'a\n' } })?.agent?.digest;
  assert.is.not(digest('config.md'), undefined);
  assert.is.not(digest('config.md'), digest('config.txt'));
});

test('recorded answers are in the order of the cases, not of recording.json', () => {
  const { sample, planted } = JSON.parse(evalsFiles['evals/recordings/other/recording.json']).cases;
  const recording = JSON.stringify({ cases: { planted, sample } });
  const { agent } = folderWith({ files: { ...evalsFiles, 'evals/recordings/other/recording.json': recording } }) ?? {};
  assert.equal(
    agent?.texts().evals?.answers.map((answer) => `${answer.folder} ${answer.case}`),
    ['other sample', 'other planted', 'some-model sample'],
  );
});

test.run();

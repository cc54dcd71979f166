import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog, writeFiles } from '../support/catalog.ts';
import { casesFiles, evalsFiles } from '../support/evals.ts';
import { goodPrompt } from '../support/good-agent.ts';
import { catalog } from '../support/process.ts';

/** `catalog eval` grades the recorded answers of agents, and needs nothing but their files. */

const agents = [
  { slug: 'one', date: '2026-01-01', files: evalsFiles },
  { slug: 'two', date: '2026-01-02' },
];

test('a table of models and cases, then what failed', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const { code, stdout, stderr } = await catalog(['eval', '--cwd', folder]);
    assert.is(code, 0, stderr);
    assert.is(
      stdout,
      `one                        sample               planted
  Other, as its page says  2 of 2               0 of 1
  some/model               1 of 2, out of date  –
  failed: Other, as its page says, planted, not-equals fine: It is exactly this text.
  failed: some/model, sample, regex: Readers count them first. Nothing in it matches.

`,
    );
    assert.is(stderr, '3 recorded answers of 1 agent graded.\n');
  }));

test('--fail is a gate: it exits with 1 if a recorded answer fails a check, but not if all pass or none is recorded', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [...agents, { slug: 'three', date: '2026-01-03', files: casesFiles }]);
    const gate = (...args: string[]) => catalog(['eval', ...args, '--fail', '--cwd', folder]);
    const { code, stderr } = await gate();
    assert.equal([code, stderr], [1, '3 recorded answers of 2 agents graded.\nAnswers that fail a check: 2.\n']);
    assert.is((await gate('--format', 'json')).code, 1);
    assert.equal((await gate('two', 'three')).code, 0);
    writeFiles(folder, {
      'agents/one/evals/recordings/other/planted.txt': 'It is something else.\n',
      'agents/one/evals/recordings/some-model/sample.txt': 'Rows: 5 read\nOdd: nothing\n',
    });
    assert.is((await gate()).code, 0);
    // A flag without effect would leave the gate open, or the answers unrecorded.
    for (const other of [
      ['--record', '--model', 'm', '--command', 'cat'],
      ['--export', 'promptfoo'],
      ['--summary'],
      ['--mutate'],
    ]) {
      const { code, stderr } = await gate(...other);
      assert.equal([code, stderr], [2, `error: Give only one of ${other[0]} and --fail.\n`]);
    }
    const three = await gate('--summary', '--mutate');
    assert.is(three.stderr, 'error: Give only one of --summary, --mutate and --fail.\n');
    const exported = await catalog(['eval', '--export', 'promptfoo', '--stale', '--cwd', folder]);
    assert.equal([exported.code, exported.stderr], [2, 'error: --stale needs --record.\n']);
  }));

test('a wrong answer that no check stops makes the command fail, and one that is stopped is counted', () =>
  inFolder(async (folder) => {
    const checks = evalsFiles['evals/checks.yaml']
      .replace('contains: Odd\n', '$&      catches:\n        silent: It says nothing about odd rows.\n')
      .replace('not-equals: fine\n', '$&      catches:\n        agrees: It agrees with the note.\n');
    const files = {
      ...evalsFiles,
      'evals/checks.yaml': checks,
      'evals/counterexamples/silent.txt': 'Rows: 8 read\n',
      'evals/counterexamples/agrees.txt': 'fine, as the note says\n',
    };
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', files }]);
    const { code, stdout } = await catalog(['eval', '--cwd', folder]);
    assert.match(
      stdout,
      '\n  counterexamples that fail their check: 1 of 2\n  toothless: agrees, planted, passes not-equals\n',
    );
    assert.is(code, 1);
    writeFiles(folder, { 'agents/one/evals/counterexamples/agrees.txt': 'fine\n' });
    const fixed = await catalog(['eval', '--cwd', folder]);
    assert.match(fixed.stdout, '  counterexamples that fail their check: 2 of 2\n');
    assert.is(fixed.code, 0);
  }));

test('a conversation is graded turn by turn, and a later answer can quote what the person said since', () =>
  inFolder(async (folder) => {
    const turns =
      '  turns:\n    - says: The flag is called newCheckout.\n      checks:\n        - quotes-in-input: {min: 1}\n' +
      '          catches:\n            invented: It quotes a name that nobody gave.\n        - contains: Done\n';
    const sample = 'agents/one/evals/recordings/other/sample';
    const files = {
      ...evalsFiles,
      'evals/checks.yaml': evalsFiles['evals/checks.yaml'].replace('planted:', `${turns}planted:`),
      'evals/recordings/other/sample.turn-2.txt': 'You wrote "flag is called newCheckout". Not done\n',
      'evals/recordings/some-model/sample.turn-2.txt': 'Done, for "the flag oldCheckout"\n',
      'evals/counterexamples/invented.txt': 'Done: "oldCheckout is the flag"\n',
    };
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', files }]);
    const { code, stdout, stderr } = await catalog(['eval', '--cwd', folder]);
    assert.is(code, 0, stderr);
    assert.match(stdout, '  Other, as its page says  3 of 4               0 of 1\n');
    assert.match(stdout, '  some/model               2 of 4, out of date  –\n');
    assert.match(
      stdout,
      'failed: Other, as its page says, sample, answer 2, contains Done: It does not contain "Done".\n',
    );
    assert.match(stdout, 'sample, answer 2, quotes-in-input min 1: Not in the input: "the flag oldCheckout".\n');
    assert.match(stdout, '  counterexamples that fail their check: 1 of 1\n');
    writeFiles(folder, { [`${sample}.turn-2.txt`]: 'Done: "flag is called newCheckout"\n' });
    assert.match((await catalog(['eval', '--cwd', folder])).stdout, '  Other, as its page says  4 of 4 ');
    const recorded = await catalog(['eval', 'one', '--record', '--model', 'm', '--command', 'cat', '--cwd', folder]);
    // The other case has an answer of the command.
    assert.match(recorded.stderr, 'one, sample: It is a conversation. Record it by hand: see https://');
    assert.match(recorded.stderr, 'Recorded 1 answer');
    const again = await catalog([
      'eval',
      'one',
      '--record',
      '--model',
      'some/model',
      '--command',
      'cat',
      '--cwd',
      folder,
    ]);
    assert.match(again.stderr, 'Out of date: 1 existing answer.');
    assert.not.match(again.stderr, 'conversation');
  }));

test('--summary says what answers miss without the prompt, and --mutate which changes of the sample nobody notices', () =>
  inFolder(async (folder) => {
    const files = {
      ...evalsFiles,
      'evals/checks.yaml': evalsFiles['evals/checks.yaml']
        .replace('contains: Odd\n', '$&      catches:\n        silent: It says nothing about odd rows.\n')
        .replace('    - not-equals: fine\n', '$&    - not-contains: as an AI\n    - word-count: {min: 1}\n'),
      'evals/counterexamples/silent.txt': 'Rows: 8 read\n',
      'evals/recordings/other/recording.json': evalsFiles['evals/recordings/other/recording.json'].replace(
        'as its page says',
        'version not stated',
      ),
    };
    writeCatalog(folder, [
      { slug: 'one', date: '2026-01-01', files },
      { slug: 'two', date: '2026-01-02' },
    ]);
    const { stdout } = await catalog(['eval', '--summary', '--cwd', folder]);
    // Of five checks, one has a counterexample. An empty answer has no word, and the other two of its case fail nowhere.
    for (const line of [
      'models with a stated version            2\nanswers of models that are not stated   1\n',
      'checks missed with the prompt           2 of 7\n',
      'checks missed without the prompt        2 of 2 (100 %)\n',
      'answers without the prompt that pass    0 of 1\n',
      'counterexamples that fail their check   1 of 1\n',
      'checks that no counterexample fails     4 of 5\n',
      'checks that nothing fails               2 of 5\n  nothing fails: one, planted, not-equals\n  nothing fails: one, planted, not-contains\n',
    ])
      assert.match(stdout, line);
    writeFiles(folder, { 'agents/one/sample-output.txt': 'Rows: 5 read\nOdd: "nothing strange here"\n' });
    const mutated = await catalog(['eval', 'one', '--mutate', '--cwd', folder]);
    assert.is(
      mutated.stdout,
      `one
  number     0 of 1 fail a check
  quotation  0 of 1 fail a check
  line       2 of 2 fail a check
  section    1 of 1 fail a check
  chatter    0 of 2 fail a check
  passes: number, 5 became 6 in line 1
  passes: quotation, a word in "nothing strange here" changed
  passes: chatter, a greeting before it
  passes: chatter, an offer after it

`,
    );
  }));

test('a check that has no value, and an agent that has no recorded answers yet', () =>
  inFolder(async (folder) => {
    const isJson = evalsFiles['evals/checks.yaml'].replace('not-equals: fine', 'is-json: true');
    writeCatalog(folder, [
      { slug: 'one', date: '2026-01-01', files: { ...evalsFiles, 'evals/checks.yaml': isJson } },
      { slug: 'two', date: '2026-01-02', files: casesFiles },
    ]);
    const { stdout } = await catalog(['eval', '--cwd', folder]);
    assert.match(stdout, '\n  failed: Other, as its page says, planted, is-json: It is not');
    assert.match(stdout, /^two +sample +planted\n {2}no recorded answers\n$/m);
  }));

test('where to begin without checks', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents.slice(1));
    const hint = 'There are no checks yet. Write them in evals/checks.yaml, in the folder of an agent.\n';
    const graded = await catalog(['eval', '--cwd', folder]);
    assert.equal([graded.code, graded.stderr], [0, `${hint}0 recorded answers of 0 agents graded.\n`]);
    const changed = await catalog(['eval', '--mutate', '--cwd', folder]);
    assert.equal([changed.code, changed.stdout, changed.stderr], [0, '', hint]);
    const recorded = await catalog(['eval', '--record', '--model', 'm', '--command', 'cat', '--cwd', folder]);
    assert.is(recorded.stderr, `${hint}Recorded 0 answers. 0 existed already.\n`);
  }));

test('--format json has every answer with its grades; only the answers of the named agents', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, [...agents, { slug: 'three', date: '2026-01-03', files: evalsFiles }]);
    const { stdout } = await catalog(['eval', 'one', 'two', '--format', 'json', '--cwd', folder]);
    const { agents: found, broken } = JSON.parse(stdout);
    assert.equal(broken, []);
    assert.equal(
      found.map(({ slug }: { slug: string }) => slug),
      ['one'],
    );
    assert.equal(found[0].answers[2], {
      case: 'sample',
      folder: 'some-model',
      recorded: JSON.parse(evalsFiles['evals/recordings/some-model/recording.json']).cases.sample,
      stale: 'prompt',
      answer: 'Odd: <b>nothing</b>\n',
      turns: [],
      results: [
        { kind: 'contains', value: 'Odd', why: null, failure: null },
        {
          kind: 'regex',
          value: '^Rows: \\d+ read',
          why: 'Readers count them first.',
          failure: 'Nothing in it matches.',
        },
      ],
      withoutPrompt: {
        answer: 'Looks good to me.\n',
        results: [
          { kind: 'contains', value: 'Odd', why: null, failure: 'It does not contain "Odd".' },
          {
            kind: 'regex',
            value: '^Rows: \\d+ read',
            why: 'Readers count them first.',
            failure: 'Nothing in it matches.',
          },
        ],
      },
    });
  }));

test('an edited byte of the prompt or of an input makes answers out of date', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const stale = async () =>
      JSON.parse((await catalog(['eval', '--json', '--cwd', folder])).stdout).agents[0].answers.map(
        ({ stale }: { stale: string | null }) => stale,
      );
    assert.equal(await stale(), [null, null, 'prompt']);
    writeFiles(join(folder, 'agents/one'), { 'evals/planted.txt': 'ROWS:\n' });
    assert.equal(await stale(), [null, 'input', 'prompt']);
    writeFiles(join(folder, 'agents/one'), { 'prompt.txt': goodPrompt.replace('Find', 'find') });
    assert.equal(await stale(), ['prompt', 'prompt', 'prompt']);
  }));

test('--format github also writes the table to the summary of the job', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    const file = join(folder, 'summary.md');
    writeFileSync(file, '');
    await catalog(['eval', '--format', 'github', '--cwd', folder], { env: { GITHUB_STEP_SUMMARY: file } });
    assert.is(
      readFileSync(file, 'utf8'),
      `## Recorded answers

### one

| Model | sample | planted |
|---|---|---|
| Other, as its page says | 2 of 2 | 0 of 1 |
| some/model | 1 of 2, out of date | – |

- Failed: Other, as its page says, planted, not-equals fine\\: It is exactly this text.
- Failed: some/model, sample, regex\\: Readers count them first. Nothing in it matches.
`,
    );
  }));

test('the summary of the job says that no answers are recorded', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    rmSync(join(folder, 'agents/one/evals/recordings'), { recursive: true });
    const file = join(folder, 'summary.md');
    await catalog(['eval', '--format', 'github', '--cwd', folder], { env: { GITHUB_STEP_SUMMARY: file } });
    assert.is(readFileSync(file, 'utf8'), '## Recorded answers\n\nNo answers are recorded.\n');
  }));

test('an agent with an error is named, and fails the command', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents);
    rmSync(join(folder, 'agents/one/evals/recordings/other/sample.txt'));
    const { code, stdout, stderr } = await catalog(['eval', '--cwd', folder]);
    assert.is(code, 1);
    assert.is(stdout, '');
    assert.is(
      stderr,
      'one was not graded: run npx --no daily-agent-catalog validate one\n0 recorded answers of 0 agents graded.\n',
    );
  }));

test.run();

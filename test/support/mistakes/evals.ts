import { writeFiles } from '../catalog.ts';
import { recorded } from '../evals.ts';
import { gitSync } from '../git.ts';
import { type Mistake, one } from './row.ts';

const checks = 'agents/one/evals/checks.yaml';
const recording = 'evals/recordings/some-model/recording.json';

/** Cases that the good agent passes. */
const good = 'sample:\n  checks:\n    - contains: Odd\n';

const withChecks = (text: string, files: Record<string, string | null> = {}) =>
  one({ files: { 'evals/checks.yaml': text, ...files } });

const withRecording = (cases: object, files: Record<string, string | null> = {}) =>
  withChecks(good, {
    [recording]: JSON.stringify({ cases }, null, 2),
    'evals/recordings/some-model/sample.txt': 'Odd: nothing\n',
    ...files,
  });

/** Mistakes in the checks and the recorded answers of an agent. */
export const evalsMistakes: Mistake[] = [
  {
    name: 'an unknown check',
    code: 'evals/checks',
    at: `${checks}:3:7`,
    agents: withChecks(good.replace('contains', 'containz')),
  },
  {
    name: 'checks without a case',
    code: 'evals/checks',
    at: `${checks}:1:1`,
    agents: withChecks('{}\n'),
  },
  {
    name: 'two checks in one entry',
    code: 'evals/checks',
    at: `${checks}:3:7`,
    agents: withChecks(`${good}      icontains: odd\n`),
  },
  {
    name: 'a malformed regular expression',
    code: 'evals/checks',
    at: `${checks}:3:14`,
    agents: withChecks(good.replace('contains: Odd', "regex: '(Odd'")),
  },
  {
    name: 'checks that are not YAML',
    code: 'evals/checks',
    at: `${checks}:4:1`,
    agents: withChecks(`${good}   wrong: x\n`),
  },
  {
    name: 'checks in a second document',
    code: 'evals/checks',
    at: `${checks}:4:1`,
    agents: withChecks(`${good}---\nhard: {}\n`),
  },
  {
    name: 'an anchor in the checks',
    code: 'evals/checks',
    at: `${checks}:1:9`,
    agents: withChecks(good.replace('sample:', 'sample: &a')),
  },
  {
    name: 'checks in a file with another extension',
    code: 'evals/checks',
    at: 'agents/one/evals/checks.yml:1:1',
    agents: one({ files: { 'evals/checks.yml': good } }),
  },
  {
    name: 'recordings without checks',
    code: 'evals/checks',
    at: 'agents/one/evals:1:1',
    agents: one({ files: { 'evals/empty.txt': '' } }),
  },
  {
    name: 'a case without an input',
    code: 'evals/checks',
    at: `${checks}:5:3`,
    agents: withChecks(`${good}hard:\n  checks:\n    - contains: x\n`),
  },
  {
    name: 'an input for the sample',
    code: 'evals/checks',
    at: `${checks}:2:10`,
    agents: withChecks(good.replace('  checks', '  input: a.txt\n  checks'), { 'evals/a.txt': 'a\n' }),
  },
  {
    name: 'a case whose input is missing',
    code: 'evals/input',
    at: `${checks}:5:10`,
    agents: withChecks(`${good}hard:\n  input: hard.txt\n  checks:\n    - contains: x\n`),
  },
  {
    name: 'a counterexample whose file is missing',
    code: 'evals/counterexample',
    at: `${checks}:5:9`,
    agents: withChecks(`${good}      catches:\n        late-row: Row 4 is missing.\n`),
  },
  {
    name: 'a counterexample whose file has a similar name',
    code: 'evals/counterexample',
    at: `${checks}:5:9`,
    agents: withChecks(`${good}      catches:\n        late-row: Row 4 is missing.\n`, {
      'evals/counterexamples/late-rows.txt': 'None\n',
    }),
  },
  {
    name: 'a counterexample of two checks',
    code: 'evals/counterexample',
    at: `${checks}:8:9`,
    agents: withChecks(
      `${good}      catches:\n        a: No row.\n    - contains: row\n      catches:\n        a: No row.\n`,
      { 'evals/counterexamples/a.txt': 'None\n' },
    ),
  },
  {
    name: 'a counterexample that no check names',
    code: 'evals/counterexample',
    at: 'agents/one/evals/counterexamples/a.txt:1:1',
    agents: withChecks(good, { 'evals/counterexamples/a.txt': 'None\n' }),
  },
  {
    name: 'an empty counterexample',
    code: 'file/empty',
    at: 'agents/one/evals/counterexamples/a.txt:1:1',
    agents: withChecks(`${good}      catches:\n        a: No row.\n`, { 'evals/counterexamples/a.txt': ' \n' }),
  },
  {
    name: 'a counterexample whose name is no name',
    code: 'evals/checks',
    at: `${checks}:5:9`,
    agents: withChecks(`${good}      catches:\n        Late row: No row.\n`, {
      'evals/counterexamples/Late row.txt': 'None\n',
    }),
  },
  {
    name: 'a recorded answer to a case that does not exist',
    code: 'evals/recording',
    at: `agents/one/${recording}:3:5`,
    agents: withRecording(
      { smaple: recorded() },
      { 'evals/recordings/some-model/smaple.txt': 'Odd\n', 'evals/recordings/some-model/sample.txt': null },
    ),
  },
  {
    name: 'a recording without its answer',
    code: 'evals/recording',
    at: `agents/one/${recording}:3:5`,
    agents: withRecording({ sample: recorded() }, { 'evals/recordings/some-model/sample.txt': null }),
  },
  {
    name: 'a conversation with a turn missing',
    code: 'evals/recording',
    at: 'agents/one/evals/recordings/some-model/recording.json:3:5',
    agents: withRecording(
      { sample: recorded() },
      { 'evals/checks.yaml': `${good}  turns:\n    - says: Yes.\n      checks:\n        - contains: Done\n` },
    ),
  },
  {
    name: 'a recorded turn that no case has',
    code: 'evals/recording',
    at: 'agents/one/evals/recordings/some-model/sample.turn-2.txt:1:1',
    agents: withRecording({ sample: recorded() }, { 'evals/recordings/some-model/sample.turn-2.txt': 'Done\n' }),
  },
  {
    name: 'a control that another model made',
    code: 'evals/recording',
    at: 'agents/one/evals/recordings/some-model/recording.json:10:18',
    agents: withRecording(
      { sample: recorded({ withoutPrompt: { model: 'other/model', date: '2026-01-01' } }) },
      { 'evals/recordings/some-model/sample.without-prompt.txt': 'Fine\n' },
    ),
  },
  {
    name: 'a control that is described and missing',
    code: 'evals/recording',
    at: 'agents/one/evals/recordings/some-model/recording.json:3:5',
    agents: withRecording({ sample: recorded({ withoutPrompt: { model: 'some/model', date: '2026-01-01' } }) }),
  },
  {
    name: 'an answer that recording.json does not describe',
    code: 'evals/recording',
    at: 'agents/one/evals/recordings/some-model/hard.txt:1:1',
    agents: withRecording({ sample: recorded() }, { 'evals/recordings/some-model/hard.txt': 'Odd\n' }),
  },
  {
    name: 'a digest that is none',
    code: 'evals/recording',
    at: `agents/one/${recording}:7:23`,
    agents: withRecording({ sample: recorded({ promptSha256: 'abc' }) }),
  },
  {
    name: 'a folder of a model with a space',
    code: 'evals/recording',
    at: 'agents/one/evals/recordings/some model:1:1',
    agents: withChecks(good, { 'evals/recordings/some model/sample.txt': 'Odd\n' }),
  },
  {
    name: 'a folder of a model that Windows reserves',
    code: 'evals/recording',
    at: 'agents/one/evals/recordings/con:1:1',
    agents: withChecks(good, { 'evals/recordings/con/sample.txt': 'Odd\n' }),
  },
  {
    name: 'recorded answers without recording.json',
    code: 'evals/recording',
    at: 'agents/one/evals/recordings/some-model:1:1',
    agents: withChecks(good, { 'evals/recordings/some-model/sample.txt': 'Odd\n' }),
  },
  {
    name: 'a recording outside the folder of a model',
    code: 'evals/recording',
    at: 'agents/one/evals/recordings/sample.txt:1:1',
    agents: withChecks(good, { 'evals/recordings/sample.txt': 'Odd\n' }),
  },
  {
    name: 'a new answer that fails a check which the old one passed',
    code: 'editorial/regression',
    at: 'agents/one/evals/recordings/some-model/sample.txt:1:1',
    agents: withRecording({ sample: recorded() }),
    change(folder) {
      gitSync(folder, 'init', '--quiet', '--initial-branch', 'main');
      gitSync(folder, 'add', '.');
      gitSync(folder, 'commit', '--quiet', '--message', 'Record an answer');
      writeFiles(folder, { 'agents/one/evals/recordings/some-model/sample.txt': 'All rows are fine.\n' });
    },
  },
  {
    name: 'a recorded answer that is too large',
    code: 'file/too-large',
    at: 'agents/one/evals/recordings/some-model/sample.txt:1:1',
    agents: withRecording({ sample: recorded() }, { 'evals/recordings/some-model/sample.txt': 'a'.repeat(5_000_000) }),
  },
  {
    name: 'an invisible character in a recorded answer',
    code: 'text/hidden-character',
    at: 'agents/one/evals/recordings/some-model/sample.txt:1:5',
    agents: withRecording({ sample: recorded() }, { 'evals/recordings/some-model/sample.txt': 'Odd:\u202e x\n' }),
  },
  {
    name: 'an escape of an invisible character in the name of a model',
    code: 'text/hidden-character',
    at: `agents/one/${recording}:4:16`,
    agents: withRecording({ sample: recorded({ model: 'some\u001b[2Jmodel' }) }),
  },
  {
    name: 'an escape of an invisible character in the checks',
    code: 'text/hidden-character',
    at: `${checks}:3:22`,
    agents: withChecks(
      good.replace('Odd', '["Odd"]').replace('contains', 'contains-any').replace('"Odd"', '"Odd\\u202E", Odd'),
    ),
  },
  {
    name: 'a recorded answer that is empty',
    code: 'file/empty',
    at: 'agents/one/evals/recordings/some-model/sample.txt:1:1',
    agents: withRecording({ sample: recorded() }, { 'evals/recordings/some-model/sample.txt': '\n' }),
  },
  {
    name: 'a file that no case uses',
    code: 'folder/unknown-file',
    at: 'agents/one/evals/notes.txt:1:1',
    agents: withChecks(good, { 'evals/notes.txt': 'Ask Ida.\n' }),
  },
  {
    name: 'a key in a recorded answer',
    code: 'text/secret',
    at: 'agents/one/evals/recordings/some-model/sample.txt:1:6',
    agents: withRecording(
      { sample: recorded() },
      { 'evals/recordings/some-model/sample.txt': `Odd: ${'ghp_'}${'a1B2'.repeat(9)}\n` },
    ),
  },
  {
    name: 'a regular expression that runs for years',
    code: 'evals/checks',
    at: `${checks}:4:7`,
    agents: withChecks(`${good}    - not-regex: '^(\\w+)+!'\n`, {
      [recording]: JSON.stringify({ cases: { sample: recorded() } }),
      'evals/recordings/some-model/sample.txt': 'Odd\n',
      'evals/recordings/some-model/sample.without-prompt.txt': `${'o'.repeat(60)}\n`,
    }),
  },
];

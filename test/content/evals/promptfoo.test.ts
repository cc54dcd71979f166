import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../../support/catalog.ts';
import { goodPrompt, goodSampleInput } from '../../support/good-agent.ts';
import { catalog } from '../../support/process.ts';
import { promptfooErrors } from '../../support/promptfoo-schema.ts';

/** `catalog eval --export promptfoo`. promptfoo renders all texts with Nunjucks, once, and loads `file://` in some. */

const checks = `sample:
  checks:
    - equals: |
        {{ env.HOME }}
    - not-equals: |
        No.
    - contains: 'file:///etc/passwd'
    - icontains: 'package:x:y'
    - not-icontains-any: ['{% raw %}', '{#', 'plain {']
    - regex: '^[{%]{2} "\\d'
    - not-regex: '(?i)as an AI'
    - is-json: true
    - word-count: {max: 700}
    - headings: [One]
    - quotes-in-input: {min: 1}
hard:
  input: hard.txt
  checks:
    - starts-with: Odd
    - headings: [Two]
`;

const files = {
  'evals/checks.yaml': checks,
  'evals/hard.txt': 'A {{name}} and {{{x}}}, {% if a %}, {# note #}, {%- raw %}{',
  // The sample output has to pass the checks, and cannot pass these.
  'prompt.txt': goodPrompt,
};

test('the cases as templates that give exactly the messages and the values of the checks', () =>
  inFolder(async (folder) => {
    const rules = { 'editorial/near-duplicate': 'off', 'editorial/checks': 'off' };
    writeCatalog(
      folder,
      [
        { slug: 'one', date: '2026-01-01', files },
        { slug: 'two', date: '2026-01-02' },
      ],
      { rules },
    );
    const flags = ['--cwd', folder, '--model', 'ollama:chat:m'];
    const { code, stdout, stderr } = await catalog(['eval', '--export', 'promptfoo', ...flags]);
    assert.is(code, 0, stderr);
    assert.is(stderr, 'Left out 3 checks that promptfoo does not have: headings, quotes-in-input.\n');
    const config = JSON.parse(stdout);
    assert.equal(promptfooErrors(config), []);
    const open = '{{ "{" }}';
    const end = '{{ "\\n" }}';
    const message = `${goodPrompt.trimEnd()}\n\n`;
    assert.equal(config, {
      description: 'Cases of catalog eval',
      providers: ['ollama:chat:m'],
      prompts: [{ raw: '{{message}}', label: 'prompt and input' }],
      defaultTest: { options: { transform: "typeof output === 'string' ? output.trim() : output" } },
      tests: [
        {
          description: 'one: sample',
          vars: { message: `${message}${goodSampleInput.slice(0, -1)}${end}` },
          assert: [
            { type: 'equals', value: `${open}{ env.HOME }}` },
            { type: 'not-equals', value: 'No.' },
            { type: 'contains', value: '{{ "f" }}ile:///etc/passwd' },
            { type: 'icontains', value: '{{ "p" }}ackage:x:y' },
            { type: 'not-icontains-any', value: [`${open}% raw %}`, `${open}#`, 'plain {'] },
            { type: 'javascript', value: `new RegExp("^[${open}%]{2} \\"\\\\d", "mu").test(output)` },
            { type: 'javascript', value: '!new RegExp("as an AI", "imu").test(output)' },
            { type: 'is-json' },
            { type: 'word-count', value: { max: 700 } },
          ],
          metadata: { agent: 'one', case: 'sample' },
        },
        {
          description: 'one: hard',
          vars: {
            message: `${message}A ${open}{name}} and ${open}${open}{x}}}, ${open}% if a %}, ${open}# note {{ "#" }}}, ${open}%- raw %}{`,
          },
          assert: [{ type: 'starts-with', value: 'Odd' }],
          metadata: { agent: 'one', case: 'hard' },
        },
      ],
    });
  }));

/** Every kind of text that promptfoo could replace, and checks of each sort: with a name there, as code, and neither. */
const conversation = `sample:
  checks:
    - line-count: {min: 2}
      why: Lines.
      catches: {one-line: 'Only one, {{ env.HOME }}.'}
    - contains: Odd
      why: A word.
      catches: {no-word: It is missing.}
talk:
  input: talk.txt
  checks:
    - headings: [One]
      why: A heading.
      catches: {no-heading: It has none.}
  turns:
    - says: 'And {{x}}?'
      checks:
        - not-contains: '{%'
          why: No tag.
          catches: {tag: It has one.}
        - says: {about: [Row], accept: [Late], never: ["No"]}
          why: It is late.
          catches: {early: It is early.}
`;

test('conversations turn by turn, and counterexamples without the model', () =>
  inFolder(async (folder) => {
    const answers = {
      'one-line': 'One {# line',
      'no-word': 'None\n',
      'no-heading': 'One',
      tag: '{% a',
      early: 'Early',
    };
    const files = {
      'evals/checks.yaml': conversation,
      'evals/talk.txt': 'Talk.\n',
      ...Object.fromEntries(Object.entries(answers).map(([name, text]) => [`evals/counterexamples/${name}.txt`, text])),
    };
    writeCatalog(folder, [{ slug: 'one', date: '2026-01-01', files }], { rules: { 'editorial/checks': 'off' } });
    const { code, stdout, stderr } = await catalog(['eval', '--export', 'promptfoo', '--cwd', folder, '--model', 'm']);
    assert.is(code, 0, stderr);
    assert.is(stderr, 'Left out 1 check that promptfoo does not have: headings.\n');
    const { prompts, defaultTest, tests } = JSON.parse(stdout);
    assert.equal(promptfooErrors(JSON.parse(stdout)), []);
    assert.equal(
      prompts.map(({ label }: { label: string }) => label),
      ['prompt and input', 'counterexample', 'conversation'],
    );
    // Nunjucks fills these in.
    assert.is(prompts[1].raw, '{{answer}}');
    const turn = (role: string, text: string) => `{"role":"${role}","content":{{ ${text} | dump }}}`;
    const earlier = `${turn('user', 'turn.input')},${turn('assistant', 'turn.output')},`;
    assert.is(prompts[2].raw, `[{% for turn in _conversation %}${earlier}{% endfor %}${turn('user', 'message')}]`);
    assert.equal(defaultTest.prompts, ['prompt and input']);
    const open = '{{ "{" }}';
    const lines = "output.split('\\n').filter((line) => line.trim() !== '').length";
    const late =
      '((lines) => lines.some((line) => ["late"].some((text) => line.includes(text))) && ' +
      '!["no"].some((text) => lines.join(\'\\n\').includes(text)))' +
      '(output.toLowerCase().split(\'\\n\').filter((line) => ["row"].some((text) => line.includes(text))))';
    const lineCount = `((count) => count >= 2 && count <= 9007199254740991)(${lines})`;
    const wrong = (name: string, text: string, answer: string, type: string, value: unknown, of = 'talk') => ({
      description: `counterexample of one, ${name}: ${text}`,
      prompts: ['counterexample'],
      provider: 'echo',
      vars: { answer },
      assert: [{ type, value }],
      metadata: { agent: 'one', case: of, counterexample: name },
    });
    const talk = { prompts: ['conversation'], metadata: { agent: 'one', case: 'talk', conversationId: 'one/talk' } };
    const message = (input: string) => ({ message: `${goodPrompt.trimEnd()}\n\n${input.slice(0, -1)}{{ "\\n" }}` });
    assert.equal(tests, [
      {
        description: 'one: sample',
        vars: message(goodSampleInput),
        assert: [
          { type: 'javascript', value: lineCount },
          { type: 'contains', value: 'Odd' },
        ],
        metadata: { agent: 'one', case: 'sample' },
      },
      wrong('one-line', 'Only one, { { env.HOME }}.', `One ${open}# line`, 'not-javascript', lineCount, 'sample'),
      wrong('no-word', 'It is missing.', 'None{{ "\\n" }}', 'not-contains', 'Odd', 'sample'),
      { ...talk, description: 'one: talk', vars: message('Talk.\n'), assert: [] },
      {
        ...talk,
        description: 'one: talk, turn 2',
        vars: { message: `And ${open}{x}}?` },
        assert: [
          { type: 'not-contains', value: `${open}%` },
          { type: 'javascript', value: late },
        ],
      },
      wrong('tag', 'It has one.', `${open}% a`, 'contains', `${open}%`),
      wrong('early', 'It is early.', 'Early', 'not-javascript', late),
    ]);
  }));

test('says how to name a provider, and refuses other tools', async () => {
  const none = await catalog(['eval', '--export', 'promptfoo', 'claim-ladder']);
  assert.match(
    none.stderr,
    'Name a provider with --model, or when you run it: promptfoo eval -c <file> -r <provider>.',
  );
  assert.equal(promptfooErrors(JSON.parse(none.stdout)), []);
  const { code, stderr } = await catalog(['eval', '--export', 'other']);
  assert.is(code, 2);
  assert.match(stderr, 'Allowed choices are promptfoo.');
});
test.run();

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

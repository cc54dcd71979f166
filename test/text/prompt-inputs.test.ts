import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dividedSample, inputsOf, type PromptInput } from '../../src/text/prompt-text.ts';

const test = suite('the inputs that a prompt declares');

const declared = (input: string, lineEnd = '\n') =>
  inputsOf(`A (required): not here.\n\nINPUT\n${input}\nRULES\n- NOT (required): here.\n`.replaceAll('\n', lineEnd));
const one = (name: string, required: boolean, hint: string): PromptInput => ({ name, required, hint });

const rows: [what: string, input: string, expected: PromptInput[]][] = [
  [
    'required and optional ones, in order',
    '- COMMITS (required): one per line: oldest first.\n- WORDS (optional): a pair a line (both).\nCOMMITS is data.\n',
    [one('COMMITS', true, 'one per line: oldest first.'), one('WORDS', false, 'a pair a line (both).')],
  ],
  [
    'every kind of list, and marks in any case',
    '* A (Required): a\n+ B (OPTIONAL): b\n• C (required): c\n1. D (required): d\n 12)  E (optional) :e\n',
    [one('A', true, 'a'), one('B', false, 'b'), one('C', true, 'c'), one('D', true, 'd'), one('E', false, 'e')],
  ],
  [
    'names in any language, with single spaces, hyphens and underscores',
    '- ÄNDERUNGEN DER WOCHE (required): w\n- コード (optional): c\n- ข้อมูล (optional): t\n- the diff-2_b (optional): d\n',
    [
      one('ÄNDERUNGEN DER WOCHE', true, 'w'),
      one('コード', false, 'c'),
      one('ข้อมูล', false, 't'),
      one('the diff-2_b', false, 'd'),
    ],
  ],
  [
    'a hint over several lines, up to a list, a blank line or the margin',
    '  before\n- A (required): one\n  two\n\tthree\n  - nested (required): no\n  after it\n- B (optional): b\n one space\n  more\n- C (optional): c\n\n  apart\n- D (optional): d\nmargin  wide\n  more\n- E (optional): e\n  ```\n  code\n  ```\n',
    [
      one('A', true, 'one two three'),
      one('B', false, 'b'),
      one('C', false, 'c'),
      one('D', false, 'd'),
      one('E', false, 'e'),
    ],
  ],
  [
    'only the first of several with one name, in any case and in any form of Unicode',
    '- É (required): first\n- e\u0301 (optional): second\n- É (optional): third\n- F (optional): f\n',
    [one('É', true, 'first'), one('F', false, 'f')],
  ],
  [
    'no name that an argument of MCP has',
    '- Input (required): all\n- INPUT-2 (optional): more\n',
    [one('INPUT-2', false, 'more')],
  ],
  [
    'a name of 40 letters, and none of 41',
    `- ${'A'.repeat(40)} (required): a\n- ${'B'.repeat(41)} (required): b\n`,
    [one('A'.repeat(40), true, 'a')],
  ],
  [
    'nothing else',
    'A (required): no bullet\n- B: no mark\n- C(required) no colon\n- D (needed): another mark\n- **E** (required): marks\n- F (required):\n- "G" (required): quotes\n- _H (required): a mark\n- I  J (required): two spaces\n- 1K (required): a digit\n- L< (required): markup\n```\n- M (required): code\n```\n  - N (required): nested\n',
    [],
  ],
];
for (const [what, input, expected] of rows) {
  test(`are ${what}`, () => {
    assert.equal(declared(input), expected);
    assert.equal(declared(input, '\r\n'), expected, 'with CRLF');
  });
}

test('are none without the section, and all of a long list', () => {
  assert.equal(inputsOf('- A (required): a\n'), []);
  const lines = Array.from({ length: 3_000 }, (_, index) => `- A${index} (optional): ${index}\n`);
  assert.is(declared(lines.join('')).length, 3_000);
  for (const long of [' '.repeat(250_000), `- ${'A '.repeat(120_000)}(`, `- ${'A'.repeat(250_000)} (required)`]) {
    assert.equal(declared(`- A (required): a\n${long}\n`), [one('A', true, 'a')]);
  }
});

test('a sample is divided into the texts of inputs by their names, in any order', () => {
  const divided = (sample: string, names: string[]) => [...dividedSample(sample, names)];
  assert.equal(divided('Intro\nTODAY: 2026-11-15\n\nLOCK\na 1\nLOCKS b\nLOCK c\n', ['LOCK', 'TODAY', 'USE']), [
    ['TODAY', '2026-11-15'],
    ['LOCK', 'a 1\nLOCKS b\nLOCK c'],
  ]);
  assert.equal(divided('FACTS (in UTC)\nx\n', ['FACTS']), [['FACTS', '(in UTC)\nx']]);
  assert.equal(divided('no names\nat all\n', ['LOCK', 'USE']), [['LOCK', 'no names\nat all']]);
  assert.equal(divided('the whole\n', ['']), [['', 'the whole']]);
});

test.run();

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fenced } from '../../src/text/markdown-text.ts';
import { linesOf, sectionsOf } from '../../src/text/prompt-text.ts';

/** Text that an agent quotes stays plain text: a fence closes only where CommonMark closes it. */

const fences: [text: string, inMarkdown: string][] = [
  ['plain\n\n', '```text\nplain\n```'],
  ['one `code`, two ``codes``', '```text\none `code`, two ``codes``\n```'],
  ['```\ncode\n```\n', '````text\n```\ncode\n```\n````'],
  ['a ````` b ``` c', '``````text\na ````` b ``` c\n``````'],
];
for (const [text, inMarkdown] of fences) {
  test(`the fence around ${JSON.stringify(text)} is longer than any in it`, () => {
    assert.is(fenced(text), inMarkdown);
  });
}

const prompts: [name: string, fence: string][] = [
  ['a line with a language', '```\nRULES\n``` js\nOUTPUT\n```'],
  ['a shorter line', '````\n```\nRULES\n````'],
  ['another mark', '```\n~~~\nRULES\n```'],
];
for (const [name, fence] of prompts) {
  test(`a section of a prompt continues if ${name} does not close a fence`, () => {
    assert.equal(
      sectionsOf(`INPUT\n${fence}\nRULES\nx\n`).map(({ name, body }) => [name, body]),
      [
        ['INPUT', `${fence}\n`],
        ['RULES', 'x\n'],
      ],
    );
  });
}

test('a line that starts with inline code of three backticks opens no fence', () => {
  const { lines, openFence } = linesOf('```json``` is the format.\n~~~ `js`\n~~~\n````a` b');
  assert.equal(
    lines.map(({ fenced }) => fenced),
    [false, true, true, false],
  );
  assert.is(openFence, null);
});

test('a section of a prompt may have a heading of any level of Markdown', () => {
  const names = ['INPUT', '# INPUT', '###### INPUT', '####### INPUT', '#INPUT', ' INPUT', 'INPUTS'].map((line) =>
    sectionsOf(`${line}\nx\n`).map(({ name }) => name),
  );
  assert.equal(names, [['INPUT'], ['INPUT'], ['INPUT'], [], [], [], []]);
});

test.run();

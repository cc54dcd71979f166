import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fillIn } from '../src/content/fill-in.ts';

const test = suite('a reader’s own input is put where the prompt asks for it');

const prompt = 'Write release notes.\n\nINPUT\nA list of commits.\n\nRULES\n- Be short.\n\nOUTPUT\nA list.\n';

test('at the end of INPUT, the rest as it was', () => {
  assert.is(
    fillIn(prompt, 'fix: one\r\nfix: two\n\n'),
    'Write release notes.\n\nINPUT\nA list of commits.\n\n<input>\nfix: one\nfix: two\n</input>\n\nRULES\n- Be short.\n\nOUTPUT\nA list.\n',
  );
});

test('blank input changes nothing', () => {
  assert.is(fillIn(prompt, ' \n '), prompt);
});

test('a heading inside a code fence of the prompt is not taken for the section', () => {
  const fenced = prompt.replace('A list of commits.', '```\nRULES\n```');
  assert.match(fillIn(fenced, 'mine'), '```\nRULES\n```\n\n<input>\nmine\n</input>\n\nRULES');
});

test('an indented first line of the input keeps its indent', () => {
  assert.match(fillIn(prompt, '\n  a:\n    b'), '<input>\n  a:\n    b\n</input>');
});

test.run();

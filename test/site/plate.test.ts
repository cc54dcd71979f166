import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { plateOf } from '../../src/site/pages/agent.ts';

/** A reader sees the prompt line by line, with its sections in the margin. */

const line = (text: string, heading = false) => ({ text, heading });

test('a plate has every line of the prompt, its sections and its words', () => {
  assert.equal(plateOf('INPUT\n- A TEXT\n\nRULES\n1. Be  brief.\n\nOUTPUT\nOne line.\n'), {
    lines: [
      line('INPUT\n', true),
      line('- A TEXT\n'),
      line('\n'),
      line('RULES\n', true),
      line('1. Be  brief.\n'),
      line('\n'),
      line('OUTPUT\n', true),
      line('One line.\n'),
    ],
    sections: [
      { name: 'INPUT', line: 1, meaning: 'what you give' },
      { name: 'RULES', line: 4, meaning: 'how it works' },
      { name: 'OUTPUT', line: 7, meaning: 'what comes back' },
    ],
    words: 11,
  });
});

test('a last line without a newline is shown, and an empty prompt has no lines', () => {
  assert.equal(plateOf('One line\ntwo\nthe last').lines, [line('One line\n'), line('two\n'), line('the last')]);
  assert.equal(plateOf(''), { lines: [], sections: [], words: 0 });
});

test.run();

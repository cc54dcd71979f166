import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readings } from '../../../src/publish/verify.ts';

/** What a changed copy of a prompt may have been, of texts that are easily cut in the wrong place. */

const skill = (...parts: string[]) => ['---\nname: one\n---', '# One', '## Prompt', ...parts].join('\n\n');
const howItWorks = '## How it works\n\nIn steps.\n';

const rows: [name: string, copy: string, isPrompt: boolean, prompt: string, status: string][] = [
  ['blank lines before it', '\n\nROLE\r\nRead.\r\n\r\n', true, 'ROLE\nRead.\n', 'line-ends'],
  [
    'an input before a section that had no blank line above it',
    'INPUT\nA text.\n\n<input>\nWords.\n</input>\n\nOUTPUT\nA list.\n',
    true,
    'INPUT\nA text.\nOUTPUT\nA list.\n',
    'filled-in',
  ],
  [
    'an input before a section that had a blank line above it',
    'INPUT\nA text.\n\n<input>\nWords.\n</input>\n\nOUTPUT\nA list.\n',
    true,
    'INPUT\nA text.\n\nOUTPUT\nA list.\n',
    'filled-in',
  ],
  [
    'a heading of skills in the prompt',
    skill('ROLE', howItWorks.trimEnd(), howItWorks),
    false,
    'ROLE\n\n## How it works\n\nIn steps.\n',
    'contained',
  ],
  [
    'the heading of the prompt in the prompt',
    skill('ROLE', '## Prompt\n\nWrite one.', howItWorks),
    false,
    'ROLE\n\n## Prompt\n\nWrite one.\n',
    'contained',
  ],
];
for (const [name, copy, isPrompt, prompt, status] of rows) {
  test(`a copy with ${name} may be that prompt`, () => {
    const found = [...readings(copy, isPrompt)].find(({ text }) => text === prompt);
    assert.equal(found, { text: prompt, status });
  });
}

test.run();

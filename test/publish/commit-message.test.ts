import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commitMessage } from '../../src/publish/commit-message.ts';

/** The message of the commit with the numbers. A title in it has no special meaning to Git, GitHub or a terminal. */

const titles: [title: string, inMessage: string][] = [
  ['Fix it [skip ci]', 'Fix it (skip ci)'],
  ['***NO_CI*** notes', '*NO_CI* notes'],
  ['Closes #1 and fixes press/catalog#2, GH-3', 'Closes # 1 and fixes press/catalog# 2, GH 3'],
  ['Ask @press/editors, now!', 'Ask @ press/editors, now!'],
  ['skip-checks: true', 'skip-checks - true'],
  ['See https://github.com/press/catalog/issues/4', 'See https: //github.com/press/catalog/issues/4'],
  ['Two\nlines\r\nand\u2028more\u001b[31m', 'Two lines and more (31m'],
  ['Read \u202eit\u0007', 'Read it'],
  ['C# notes, 50% shorter: R&D!', 'C# notes, 50% shorter: R&D!'],
];
for (const [title, inMessage] of titles) {
  test(`a title has no special meaning in a commit message: ${JSON.stringify(title)}`, () => {
    const release = { slug: 'one', issue: 7, date: '2027-03-01', title };
    assert.is(commitMessage([release]), `Publish No. 7: ${inMessage}\n\n- No. 7, 2027-03-01: ${inMessage} (one)\n`);
  });
}

test.run();

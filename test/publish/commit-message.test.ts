import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commitMessage } from '../../src/publish/write-numbers.ts';

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

test('several numbers are in the first line, and each agent has a line of its own', () => {
  const releases = [7, 8, 9].map((issue) => ({
    slug: `a-${issue}`,
    issue,
    date: `2027-03-0${issue}`,
    title: 'Fix it',
  }));
  const lines = [
    '- No. 7, 2027-03-07: Fix it (a-7)',
    '- No. 8, 2027-03-08: Fix it (a-8)',
    '- No. 9, 2027-03-09: Fix it (a-9)',
  ];
  assert.is(commitMessage(releases), `Publish No. 7, 8, and 9\n\n${lines.join('\n')}\n`);
  assert.match(commitMessage(releases.slice(0, 2)), /^Publish No. 7 and 8\n\n/);
});

test.run();

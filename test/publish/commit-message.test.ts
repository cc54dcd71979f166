import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeNumbers } from '../../src/publish/write-numbers.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';

/** The message of the commit with the numbers. A title in it has no special meaning to Git, GitHub or a terminal. */

/** The message for the numbers of agents that are in a catalog. */
async function messageOf(releases: Parameters<typeof writeNumbers>[1]): Promise<string> {
  let message = '';
  await inFolder((folder) => {
    writeCatalog(
      folder,
      releases.map(({ slug, date }) => ({ slug, date })),
    );
    ({ message } = writeNumbers(folder, releases));
  });
  return message;
}

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
  test(`a title has no special meaning in a commit message: ${JSON.stringify(title)}`, async () => {
    const release = { slug: 'one', issue: 7, date: '2027-03-01', title };
    assert.is(await messageOf([release]), `Publish No. 7: ${inMessage}\n\n- No. 7, 2027-03-01: ${inMessage} (one)\n`);
  });
}

test('several numbers are in the first line, and each agent has a line of its own', async () => {
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
  assert.is(await messageOf(releases), `Publish No. 7, 8, and 9\n\n${lines.join('\n')}\n`);
  assert.match(await messageOf(releases.slice(0, 2)), /^Publish No. 7 and 8\n\n/);
});

test.run();

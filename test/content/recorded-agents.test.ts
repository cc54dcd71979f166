import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkTogether } from '../../src/content/check/calendar.ts';
import { settle } from '../../src/content/check/published.ts';
import type { PublishedState } from '../../src/content/history.ts';
import type { SmallAgent } from '../support/catalog.ts';
import { contentOf } from '../support/memory.ts';

/** Which folder is which published agent, after folders were swapped, copied, renamed or deleted. */

const today = '2026-02-01';
const agent = (slug: string, day: number, issue: number, formerSlugs?: string): SmallAgent => ({
  slug,
  date: `2026-01-0${day}`,
  front: { issue: String(issue), ...(formerSlugs && { formerSlugs: `[${formerSlugs}]` }) },
});

/** The agents one and two, published as No. 1 and No. 2 on January 1 and 2. */
const record: PublishedState = {
  branch: 'main',
  day: today,
  agents: new Map(contentOf([agent('one', 1, 1), agent('two', 2, 2)], today).folders.map((f) => [f.slug, f.schedule])),
  inherited: new Set(['one', 'two']),
  firstOf: ([slug = '']) => slug,
};

const rows: [name: string, folders: SmallAgent[], expected: string[]][] = [
  [
    'folders that were swapped, each with the other one as former slug',
    [agent('one', 2, 2, 'two'), agent('two', 1, 1, 'one')],
    [],
  ],
  [
    'a copy of a renamed agent',
    [agent('one', 1, 1), agent('deux', 2, 2, 'two'), agent('copy', 5, 2)],
    ['copy: Issue number 2 already belongs to `deux` on main.'],
  ],
  [
    'two folders with the number of an agent that is gone, of which one has its date',
    [agent('one', 1, 1), agent('deux', 5, 2), agent('zwei', 2, 2)],
    [
      'zwei: No. 2 was published as `two`, but that address does not redirect to `zwei`.',
      'deux: Issue number 2 already belongs to `zwei` on main.',
    ],
  ],
  [
    'the next two numbers, the higher one in the folder that is read first',
    [agent('one', 1, 1), agent('two', 2, 2), agent('above', 6, 4), agent('below', 5, 3)],
    [],
  ],
  [
    'an agent that took the number of a deleted one',
    [agent('one', 1, 2)],
    [
      'two: No. 2, published on 2026-01-02 as `two`, was deleted.',
      'one: This agent is No. 1 on main; a published agent keeps its number.',
    ],
  ],
];
for (const [name, folders, expected] of rows) {
  test(`recognizes ${name}`, () => {
    const { diagnostics } = settle(contentOf(folders, today).folders, record, [], today);
    assert.equal(
      diagnostics.map(({ slug, message }) => `${slug}: ${message}`),
      expected,
    );
  });
}

test('a published former slug stays one, so that old links keep working', () => {
  const [deux] = contentOf([agent('deux', 2, 2, 'two, zwei')], today).folders.map((folder) => folder.schedule);
  const agents = new Map(record.agents).set('deux', deux as NonNullable<typeof deux>);
  agents.delete('two');
  const told = (now: SmallAgent) =>
    settle(
      contentOf([agent('one', 1, 1), now], today).folders,
      { ...record, agents, inherited: new Set(['one', 'deux']) },
      [],
      today,
    ).diagnostics.map(({ slug, code, message, hint }) => `${slug} ${code} ${message} ${hint}`);
  assert.equal(told(agent('deux', 2, 2, 'zwei, two')), []);
  assert.equal(told(agent('two', 2, 2, 'zwei, deux')), []);
  assert.equal(told(agent('deux', 2, 2, 'two')), [
    'deux record/renamed No. 2 was published as `zwei`, but that address does not redirect to `deux`. Change the line `formerSlugs` of this front matter to `formerSlugs: [two, zwei]`.',
  ]);
  const withdrawn = agent('deux', 2, 2);
  assert.equal(told({ ...withdrawn, front: { ...withdrawn.front, withdrawn: 'Wrong.' } }), []);
});

test('an agent that was deleted may come back with the number that it had, and with no other', () => {
  const lost = [{ slug: 'gone', issue: 5, date: '2026-01-05', commit: '0123456789abcdef' }];
  const told = (issue: number) =>
    settle(
      contentOf([agent('one', 1, 1), agent('two', 2, 2), agent('gone', 5, issue)], today).folders,
      record,
      lost,
      today,
    ).diagnostics.map(({ slug, code, message }) => `${slug} ${code} ${message}`);
  assert.equal(told(5), []);
  assert.equal(told(4), ['gone issue/skipped The next issue number is 6, not 4.']);
});

test('the date of a deleted agent is taken', () => {
  const { folders } = contentOf([{ slug: 'new', date: '2026-01-02', front: { draft: 'true' } }], today);
  const reserved = [{ slug: 'two', issue: 2, date: '2026-01-02', why: 'deleted' }] as const;
  const found = checkTogether({ folders, reserved }, today, { blamed: new Set(), onBranch: new Set() });
  assert.equal(
    found.map(({ code, message }) => `${code} ${message}`),
    ['date/taken `two` already has the date 2026-01-02; only one agent is published per day.'],
  );
});

for (const line of ['issue: 1', 'issue: 1 # given on Monday', 'issue: "1"']) {
  test(`front matter without its last line keeps its number and date: ${line}`, () => {
    const [first, second] = contentOf([agent('one', 1, 1), agent('two', 2, 1)], today).folders;
    const text = `---\ntitle: One\ndate: 2026-01-01 # a Thursday\n${line}\ndraft: false\n`;
    const broken = contentOf([{ slug: 'one', date: '2026-01-01', files: { 'agent.md': text } }], today).folders[0];
    assert.equal(broken?.schedule, { ...first?.schedule, title: null });
    const { diagnostics } = settle(
      [broken, second].filter((folder) => folder !== undefined),
      record,
      [],
      today,
    );
    assert.equal(
      diagnostics.map(({ slug, code }) => `${slug} ${code}`),
      ['two record/issue'],
    );
  });
}

test.run();

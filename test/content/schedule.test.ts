import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { status } from '../../src/content/schedule.ts';
import { diagnose } from '../../src/schema/diagnostics/diagnostic.ts';
import type { SmallAgent } from '../support/catalog.ts';
import { contentOf } from '../support/memory.ts';

/** Edge cases of numbers and dates: which agents are published, which one is next, and which days are free. */

const today = '2026-01-10';

function agent(slug: string, day: number, front: Record<string, string> = {}): SmallAgent {
  return { slug, date: `2026-01-${String(day).padStart(2, '0')}`, front };
}

/** Returns the findings that concern several agents, as `slug code message ~ hint`. */
function told(...agents: SmallAgent[]): string[] {
  return contentOf(agents, today).diagnostics.map(
    ({ slug, code, message, hint }) => `${slug} ${code} ${message} ~ ${hint}`,
  );
}

const putBack = 'Restore the original dates and numbers from git.';
const next = 'Delete the `issue` line; `catalog publish` writes the next number.';
const keepsTitle =
  'already has this title. ~ Choose another title: it is how readers and assistants tell agents apart.';
const together: [name: string, agents: SmallAgent[], ...found: string[]][] = [
  ['a number on today', [agent('a', 10, { issue: '1' })]],
  [
    'a number on tomorrow',
    [agent('a', 11, { issue: '1' })],
    'a issue/early This agent is dated 2026-01-11, so it cannot have an issue number yet. ~ Delete the `issue` line; `catalog publish` writes the number on that date.',
  ],
  [
    'one number on one day: the slug decides',
    [agent('b', 5, { issue: '1' }), agent('a', 5, { issue: '1' })],
    'b issue/taken Issue number 1 already belongs to `a`, which comes first by date and slug. ~ Delete the `issue` line. Also choose another date: `a` has this one, and 2026-01-10 is free.',
  ],
  [
    'one number on three days: the first keeps it',
    [agent('a', 7, { issue: '1' }), agent('b', 6, { issue: '1' }), agent('c', 5, { issue: '1' })],
    `b issue/taken Issue number 1 already belongs to \`c\`, which comes first by date and slug. ~ ${next}`,
    `a issue/taken Issue number 1 already belongs to \`c\`, which comes first by date and slug. ~ ${next}`,
  ],
  [
    'one of four dated too early',
    [1, 2, 3, 4].map((issue) => agent(`n${issue}`, issue === 3 ? 1 : issue + 2, { issue: `${issue}` })),
    `n3 issue/order Issue number 3 is dated 2026-01-01, but number 2 (\`n2\`) is dated 2026-01-04. The higher number needs the later date. ~ ${putBack}`,
  ],
  [
    'one of four dated too late',
    [1, 2, 3, 4].map((issue) => agent(`n${issue}`, issue === 2 ? 9 : issue + 2, { issue: `${issue}` })),
    `n2 issue/order Issue number 2 is dated 2026-01-09, but number 3 (\`n3\`) is dated 2026-01-05. The higher number needs the later date. ~ ${putBack}`,
  ],
  [
    'a number between two others, without a date that can be read',
    [1, 2, 3].map((issue) => agent(`n${issue}`, issue === 2 ? 32 : issue, { issue: `${issue}` })),
    'n2 front-matter/value `date` is "2026-01-32"; it has to be a calendar date, written as YYYY-MM-DD. ~ January 2026 has 31 days.',
  ],
  [
    'one date: the number goes before the draft, and the first free date is not taken',
    [agent('a', 10, { draft: 'true' }), agent('b', 10), agent('c', 9, { issue: '1' }), agent('d', 11)],
    'a date/taken `b` already has the date 2026-01-10; only one agent is published per day. ~ Choose another date; 2026-01-12 is free.',
  ],
  [
    'one date on three agents: each of the others gets a free date of its own',
    [agent('a', 10), agent('b', 10), agent('c', 10)],
    'b date/taken `a` already has the date 2026-01-10; only one agent is published per day. ~ Choose another date; 2026-01-11 is free.',
    'c date/taken `a` already has the date 2026-01-10; only one agent is published per day. ~ Choose another date; 2026-01-12 is free.',
  ],
  [
    'a past date, before and on the last number; a draft may have one',
    [agent('a', 9, { issue: '1' }), agent('b', 8), agent('c', 7, { draft: 'true' })],
    'b date/backdated 2026-01-08 is before 2026-01-09, the date of the last numbered agent, so this agent can no longer get a number. ~ Choose a later date; 2026-01-10 is free.',
  ],
  [
    'a past date, and the last folder is not the latest agent',
    [agent('a', 9, { issue: '2' }), agent('b', 5, { issue: '1' }), agent('c', 7)],
    'c date/backdated 2026-01-07 is before 2026-01-09, the date of the last numbered agent, so this agent can no longer get a number. ~ Choose a later date; 2026-01-10 is free.',
  ],
  ['a date after the last number and before today', [agent('a', 5, { issue: '1' }), agent('b', 6)]],
  [
    'a title in other letters: the published agent keeps it',
    [agent('a', 12, { title: 'Find  rows' }), agent('b', 9, { title: 'find ROWS', issue: '1' })],
    `a title/taken \`b\` ${keepsTitle}`,
  ],
  [
    'a title of a draft and of a later agent',
    [agent('a', 11, { title: 'Rows', draft: 'true' }), agent('b', 12, { title: 'Rows' })],
    `a title/taken \`b\` ${keepsTitle}`,
  ],
  [
    'a title in ligatures, of two agents without a number: the earlier one keeps it',
    [agent('a', 12, { title: 'Find rows' }), agent('b', 11, { title: 'ﬁnd rows' })],
    `a title/taken \`b\` ${keepsTitle}`,
  ],
  [
    'an agent with an error in its number takes neither a title nor a date',
    [
      agent('a', 5, { issue: '1' }),
      agent('b', 6, { issue: '1', title: 'Rows' }),
      agent('c', 6),
      agent('d', 12, { title: 'Rows' }),
    ],
    `b issue/taken Issue number 1 already belongs to \`a\`, which comes first by date and slug. ~ ${next}`,
  ],
  [
    'a new agent on the date of the last number',
    [agent('a', 9, { issue: '1' }), agent('b', 9)],
    'b date/taken `a` already has the date 2026-01-09; only one agent is published per day. ~ Choose another date; 2026-01-10 is free.',
  ],
  [
    'one former slug of three agents',
    [11, 12, 13].map((day) => agent(`n${day}`, day, { formerSlugs: '[old]' })),
    ...[12, 13].map(
      (day) =>
        `n${day} slug/taken \`old\` is already a former slug of \`n11\`. ~ Remove it here: an address can belong to only one agent.`,
    ),
  ],
  [
    'a draft in a folder with the former slug of a published agent, which keeps its address',
    [agent('a', 5, { issue: '1', formerSlugs: '[b]' }), agent('b', 20, { draft: 'true' })],
    'b slug/taken `b` is a former slug of `a`, and its old address redirects there. ~ Rename this folder: an address can belong to only one agent.',
  ],
  [
    'a new agent with the former slug of a published one',
    [agent('a', 20, { formerSlugs: '[old]' }), agent('b', 5, { issue: '1', formerSlugs: '[old]' })],
    'a slug/taken `old` is already a former slug of `b`. ~ Remove it here: an address can belong to only one agent.',
  ],
  [
    'the second former slug of two agents',
    [11, 12].map((day) => agent(`n${day}`, day, { formerSlugs: `[old-${day}, old]` })),
    'n12 slug/taken `old` is already a former slug of `n11`. ~ Remove it here: an address can belong to only one agent.',
  ],
  [
    'a former slug of an agent with an error in its number',
    [
      agent('a', 5, { issue: '1' }),
      agent('b', 6, { issue: '1', formerSlugs: '[old]' }),
      agent('c', 12, { formerSlugs: '[old]' }),
    ],
    `b issue/taken Issue number 1 already belongs to \`a\`, which comes first by date and slug. ~ ${next}`,
  ],
  [
    'the title of a withdrawn agent',
    [agent('a', 9, { title: 'Rows', issue: '1', withdrawn: 'Wrong.' }), agent('b', 12, { title: 'Rows' })],
  ],
  [
    'withdrawn for a reason that cannot be read',
    [agent('a', 9, { withdrawn: 'Wrong: all of it.' })],
    "a front-matter/yaml This text has a colon and a space, which YAML takes for another key. ~ Put the whole text in quotes: 'Wrong: all of it.'.",
    'a withdrawn/unnumbered This agent has no issue number, so there is nothing to withdraw. ~ Write `draft: true` instead, or delete the folder. If it is online, remove this line, run `npx --no daily-agent-catalog publish --push`, and write it again.',
  ],
];
for (const [name, agents, ...found] of together) {
  test(`together: ${name}`, () => assert.equal(told(...agents), found));
}

/** The days of agents 1, 2, 3 and so on, and the numbers of those that are reported. */
const falling: [days: number[], reported: number[]][] = [
  [[1, 2, 9, 3, 4], [3]],
  [[3, 1, 2], [1]],
  [
    [5, 6, 1, 2, 7],
    [3, 4],
  ],
  [
    [9, 1, 8, 2, 7, 3],
    [1, 3, 6],
  ],
  [
    [4, 3, 2, 1],
    [2, 3, 4],
  ],
];
for (const [days, reported] of falling) {
  test(`numbers 1 to ${days.length} on the days ${days.join(', ')}: number ${reported.join(', ')} is out of order`, () => {
    const agents = days.map((day, index) => agent(`n${index + 1}`, day, { issue: `${index + 1}` }));
    assert.equal(
      told(...agents).map((line) => line.split(' ', 2).join(' ')),
      reported.map((issue) => `n${issue} issue/order`),
    );
  });
}

const settings = { timezone: 'UTC', queueWarningDays: 3 };

test('warnings do not count as errors in the schedule', () => {
  const content = contentOf([agent('a', 11)], today);
  const place = {
    slug: 'a',
    file: 'agents/a/prompt.txt',
    location: { line: 1, column: 1, length: 1 },
  };
  const warning = diagnose({ ...place, code: 'editorial/portable', message: 'Long.', hint: 'Cut.' });
  assert.is(warning.severity, 'warning');
  const { coming, faulty, next } = status({ ...content, diagnostics: [warning] }, { today, settings });
  assert.equal([coming[0]?.errors, faulty, next?.slug], [0, [], 'a']);
});

test('the schedule sorts by date, then by slug, and starts with the next agent without an error', () => {
  const agents = [
    agent('c', 12, { issue: '9' }),
    agent('b', 13),
    agent('a', 11, { tags: '[]' }),
    agent('d', 10),
    agent('e', 9, { issue: '4' }),
    agent('g', 20, { draft: 'true' }),
    agent('f', 20, { draft: 'true' }),
  ];
  const result = status(contentOf(agents, today), { today, settings });
  assert.equal(
    result.coming.map(({ slug, daysLeft, errors }) => [slug, daysLeft, errors]),
    [
      ['a', 1, 1],
      ['c', 2, 1],
      ['b', 3, 0],
    ],
  );
  assert.equal(result.next, { issue: 6, date: '2026-01-13', slug: 'b', title: 'The b agent', daysLeft: 3 });
  assert.equal([result.queueDays, result.queueLow], [0, true]);
  assert.equal(
    result.due.map(({ slug, issue }) => [slug, issue]),
    [['d', 5]],
  );
  assert.equal(
    result.drafts.map(({ slug }) => slug),
    ['f', 'g'],
  );
  assert.equal(result.freeDates.slice(0, 3), ['2026-01-14', '2026-01-15', '2026-01-16']);
  assert.is(result.freeDates.at(-1), '2026-01-23');
});

test('the numbers and dates of deleted agents are not given to others', () => {
  const content = contentOf([agent('a', 9, { issue: '1' }), agent('b', 12)], today);
  const reserved = [
    { slug: 'gone', issue: 7, date: '2026-01-11', why: 'deleted' },
    { slug: 'early', issue: 8, date: null, why: 'early' },
  ] as const;
  const { next, freeDates } = status({ ...content, reserved }, { today, settings });
  assert.equal([next?.issue, freeDates.slice(0, 2)], [9, ['2026-01-13', '2026-01-14']]);
});

test('an empty catalog has fourteen free days and nothing else', () => {
  const { freeDates, next: coming, queueDays, faulty } = status(contentOf([], today), { today, settings });
  assert.equal([freeDates[0], freeDates.length, coming, queueDays, faulty], [today, 14, null, 0, []]);
});

test.run();

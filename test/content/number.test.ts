import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { number } from '../../src/content/schedule.ts';
import { addDays } from '../../src/lib/calendar.ts';

interface Row {
  slug: string;
  date: string;
  issue?: number;
}

const rows: { name: string; given: Row[]; highest?: number; expected: [string, number][] }[] = [
  { name: 'an empty catalog stays empty', given: [], expected: [] },
  { name: 'the first agent gets number 1', given: [{ slug: 'a', date: '2026-01-01' }], expected: [['a', 1]] },
  {
    name: 'agents without a number get the next ones by date, not by slug',
    given: [
      { slug: 'a', date: '2026-01-03' },
      { slug: 'b', date: '2026-01-02' },
    ],
    expected: [
      ['b', 1],
      ['a', 2],
    ],
  },
  {
    name: 'on one day the slug decides',
    given: [
      { slug: 'b', date: '2026-01-02' },
      { slug: 'a', date: '2026-01-02' },
    ],
    expected: [
      ['a', 1],
      ['b', 2],
    ],
  },
  {
    name: 'a number once given is kept',
    given: [
      { slug: 'new', date: '2026-01-05' },
      { slug: 'old', date: '2026-01-01', issue: 7 },
    ],
    expected: [
      ['old', 7],
      ['new', 8],
    ],
  },
  {
    name: 'a draft with an earlier date comes after the numbers that were given',
    given: [
      { slug: 'draft', date: '2026-01-03' },
      { slug: 'old', date: '2026-01-05', issue: 1 },
    ],
    expected: [
      ['old', 1],
      ['draft', 2],
    ],
  },
  {
    name: 'the number of a withdrawn agent is not given again',
    given: [{ slug: 'new', date: '2026-01-05' }],
    highest: 3,
    expected: [['new', 4]],
  },
];

for (const { name, given, highest = 0, expected } of rows) {
  test(name, () => {
    assert.equal(
      number(given, highest).map(({ slug, issue }) => [slug, issue]),
      expected,
    );
  });
}

/**
 * Makes a catalog as publishing leaves it: the first `numbered` days have numbers, with some agents withdrawn, and the
 * others have none.
 */
const catalogs = fc
  .record({
    days: fc.integer({ min: 0, max: 30 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    seed: fc.infiniteStream(fc.boolean()),
  })
  .map(({ days, share, seed }) => {
    const numbered = Math.floor(days * share);
    return Array.from({ length: days }, (_, index) => ({
      slug: `agent-${(index * 7919) % 1000}`,
      date: addDays('2026-01-01', index),
      ...(index < numbered ? { issue: index + 1 } : {}),
      withdrawn: index < numbered && seed.next().value === true,
    }));
  })
  .chain((agents) => fc.shuffledSubarray(agents, { minLength: agents.length }));

function numbersFor(agents: readonly { withdrawn: boolean; slug: string; date: string; issue?: number }[]) {
  const highest = Math.max(0, ...agents.map(({ issue }) => issue ?? 0));
  return number(
    agents.filter(({ withdrawn }) => !withdrawn),
    highest,
  );
}

test('never renumbers', () => {
  fc.assert(
    fc.property(catalogs, (agents) => {
      const after = new Map(numbersFor(agents).map(({ slug, issue }) => [slug, issue]));
      for (const { slug, issue, withdrawn } of agents) {
        if (issue !== undefined && !withdrawn) assert.is(after.get(slug), issue);
      }
    }),
  );
});

test('leaves no gap except for withdrawn agents', () => {
  fc.assert(
    fc.property(catalogs, (agents) => {
      const numbers = [...numbersFor(agents).map(({ issue }) => issue)];
      for (const { issue, withdrawn } of agents) if (withdrawn && issue !== undefined) numbers.push(issue);
      assert.equal(
        numbers.sort((a, b) => a - b),
        agents.map((_, index) => index + 1),
      );
    }),
  );
});

test('numbers rise with the dates', () => {
  fc.assert(
    fc.property(catalogs, (agents) => {
      const dates = numbersFor(agents).map(({ date }) => date);
      assert.equal(dates, [...dates].sort());
    }),
  );
});

test('numbering numbered agents changes nothing', () => {
  fc.assert(
    fc.property(catalogs, (agents) => {
      const once = numbersFor(agents);
      assert.equal(number(once, 0), once);
    }),
  );
});

test('the numbers do not depend on the order in which folders are read', () => {
  fc.assert(
    fc.property(catalogs, (agents) => {
      assert.equal(numbersFor(agents), numbersFor([...agents].reverse()));
    }),
  );
});

test.run();

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { select } from '../../src/content/schedule.ts';
import type { SmallAgent } from '../support/catalog.ts';
import { contentOf } from '../support/memory.ts';

/** Which agents a build includes, and which errors stop it. */

const today = '2026-01-10';
const agent = (slug: string, day: number, front: Record<string, string> = {}): SmallAgent => ({
  slug,
  date: `2026-01-${String(day).padStart(2, '0')}`,
  front,
});

const mixed = [
  agent('out', 8, { issue: '1', formerSlugs: '[older, old]' }),
  agent('back', 9, { issue: '2', withdrawn: 'Wrong.', formerSlugs: '[front]' }),
  agent('now', 10),
  agent('then', 11),
  agent('sketch', 7, { draft: 'true' }),
];
const selections: [name: string, options: object, next: string | undefined, ...slugs: string[]][] = [
  ['agents due today', {}, 'then', 'out', 'now'],
  ['also future agents', { future: true }, undefined, 'out', 'now', 'then'],
  ['also drafts', { drafts: true }, 'then', 'out', 'sketch', 'now'],
  ['both', { future: true, drafts: true }, undefined, 'out', 'sketch', 'now', 'then'],
];
for (const [name, options, next, ...slugs] of selections) {
  test(`a build includes ${name}, with the numbers after the numbers of withdrawn agents`, () => {
    const selected = select(contentOf(mixed, today), { today, ...options });
    assert.is(selected.next?.slug, next);
    assert.equal(
      selected.agents.map(({ slug, issue }) => [slug, issue]),
      slugs.map((slug, index) => [slug, index === 0 ? 1 : index + 2]),
    );
    assert.equal(
      [selected.withdrawn, [...selected.moved]],
      [
        ['back', 'front'],
        [
          ['older', 'out'],
          ['old', 'out'],
        ],
      ],
    );
  });
}

test('an empty reason does not withdraw a published agent: it stops the build', () => {
  const content = contentOf([agent('a', 9, { issue: '1', withdrawn: '""' }), agent('b', 10)], today);
  const { errors, withdrawn } = select(content, { today });
  assert.equal([errors.map(({ slug }) => slug), withdrawn], [['a'], []]);
  const unread = contentOf([agent('a', 9, { issue: '1', withdrawn: '', tags: '[' }), agent('b', 10)], today);
  assert.equal(select(unread, { today }).withdrawn, []);
});

test('an error in an agent that is due stops a build, unless the agent is new and errors are skipped', () => {
  const content = contentOf([agent('a', 9, { tags: '[]' }), agent('b', 10), agent('c', 12, { tags: '[]' })], today);
  const outcome = (options: object) => {
    const { agents, skipped, errors, warnings } = select(content, { today, ...options });
    return [agents.map(({ slug }) => slug), skipped, errors.map(({ slug }) => slug), warnings.map(({ slug }) => slug)];
  };
  assert.equal(outcome({}), [['b'], [], ['a'], ['c']]);
  // Pages announce the next agent.
  assert.is(select(content, { today }).next, null);
  assert.equal(outcome({ skipInvalid: true }), [['b'], ['a'], [], ['a', 'c']]);
  assert.equal(outcome({ skipInvalid: true, published: new Set(['a']) }), [['b'], [], ['a'], ['c']]);
  assert.equal(outcome({ future: true }), [['b'], [], ['a', 'c'], []]);
});

test('an error in the number of an agent stops a build even if the build leaves the agent out', () => {
  const withdrawn = (slug: string, day: number) => agent(slug, day, { issue: '1', withdrawn: 'Wrong.' });
  const content = contentOf(
    [withdrawn('a', 8), withdrawn('b', 9), agent('c', 10), agent('d', 12, { tags: '[]' })],
    today,
  );
  const { agents, errors, warnings } = select(content, { today });
  assert.equal(
    [agents, errors, warnings].map((list) => list.map(({ slug }) => slug)),
    [['c'], ['b'], ['d']],
  );
});

test.run();

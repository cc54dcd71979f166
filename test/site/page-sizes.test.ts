import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays } from '../../src/lib/calendar.ts';
import { commonTags, listAddresses } from '../../src/site/pages/lists.ts';
import type { Site } from '../../src/site/site.ts';
import { smallSettings } from '../support/catalog.ts';

/** How many agents are on one page of a list, and how many tags are offered: as many as fit, and one more. */

const times = <Item>(count: number, item: (at: number) => Item) => Array.from({ length: count }, (_, at) => item(at));

/** Makes a site of this many agents, one a day from 2026 on, newest first. */
function siteOf(count: number): Site {
  const agents = times(count, (at) => ({ date: addDays('2026-01-01', at), category: 'coding', tags: ['small'] }));
  const url = { absolute: (path: string) => path };
  return { settings: smallSettings, url, agents: agents.reverse() } as unknown as Site;
}

const lists: [count: number, pages: number[], archive: number[]][] = [
  [1, [1], [1]],
  [99, [99], [99]],
  [100, [100], [100]],
  [101, [100, 1], [101]],
  [199, [100, 99], [199]],
  [200, [100, 100], [200]],
  // 181 days of January to June, and 20 of July.
  [201, [100, 100, 1], [20, 201, 20, 30, 31, 30, 31, 28, 31]],
];

for (const [count, pages, archive] of lists) {
  test(`${count} agents make ${pages.length} pages of a category, ${archive.length} of the archive`, () => {
    const found = [...listAddresses(siteOf(count))];
    const sizes = (start: string) =>
      found.filter(({ path }) => path.startsWith(start)).map(({ path, agents }) => [path, agents.length]);
    const expected = (start: string) => pages.map((size, at) => [at === 0 ? start : `${start}/${at + 1}`, size]);
    assert.equal(sizes('categories'), expected('categories/coding'));
    assert.equal(sizes('tags'), expected('tags/small'));
    assert.equal(
      sizes('archive').map(([, size]) => size),
      archive,
    );
  });
}

test('the 60 most used tags are offered', () => {
  const tags = (count: number) => times(count, (at) => `tag-${String(at).padStart(3, '0')}`);
  const offered = (count: number) =>
    commonTags({ agents: [{ tags: tags(count) }, { tags: tags(count).slice(1) }] } as unknown as Site).map(
      ({ key }) => key,
    );
  assert.equal(offered(60), tags(60));
  assert.equal(offered(61), tags(61).slice(1));
});

test.run();

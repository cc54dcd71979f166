import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays } from '../src/calendar.ts';
import { inFolder, snapshot, writeCatalog } from './support/catalog.ts';
import { catalog } from './support/process.ts';

/** A catalog of years stays readable on a phone: no list grows without end, and every agent is on one. */

const today = '2026-11-21';

test('past 200 agents the archive is divided by month and lists by page, and every agent is still linked', async () => {
  await inFolder(async (folder) => {
    const days = Array.from({ length: 230 }, (_, index) => addDays(today, -index));
    writeCatalog(
      folder,
      days.map((date) => ({ slug: `agent-${date}`, date })),
    );
    const built = await catalog(['build', '--cwd', folder, '--today', today]);
    assert.is(built.code, 0, built.stderr);
    const files = snapshot(join(folder, 'dist'));
    const page = (path: string) => {
      assert.ok(files[path], `${path} is missing`);
      return files[path] ?? '';
    };

    assert.equal(linked(page('archive.html')), inMonth(days, '2026-11'));
    assert.is(page('archive/index.html'), page('archive.html'));
    assert.match(page('archive.html'), 'href="/archive/2026/05"');
    assert.equal(linked(page('archive/2026/05.html')), inMonth(days, '2026-05'));
    assert.is(linked(page('archive/2026.html')).length, 230);

    const pages = ['categories/coding.html', 'categories/coding/2.html', 'categories/coding/3.html'];
    assert.equal(
      pages.map((path) => linked(page(path)).length),
      [100, 100, 30],
    );
    assert.is(files['categories/coding/4.html'], undefined);
    assert.match(page('categories/coding/2.html'), /rel="prev" href="\/categories\/coding"/);
    assert.is(linked(page('tags/testing/3.html')).length, 30);
    assert.is(linked(page('index.html')).length, 13);

    for (const path of ['archive/2026', 'archive/2026/05', 'categories/coding/2', 'tags/small/3']) {
      assert.match(page('sitemap.xml'), `<loc>https://press.example/${path}</loc>`);
    }
  });
});

/** The agents that a page links to, without those that more than one link leads to. */
function linked(html: string): string[] {
  return [...new Set([...html.matchAll(/href="\/agents\/([a-z0-9-]+)"/g)].map(([, slug = '']) => slug))];
}

function inMonth(days: readonly string[], month: string): string[] {
  return days.filter((day) => day.startsWith(month)).map((day) => `agent-${day}`);
}

test.run();

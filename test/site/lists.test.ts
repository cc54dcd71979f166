import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod';
import { addDays } from '../../src/lib/calendar.ts';
import { outputsAt } from '../../src/site/index.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { render } from '../support/render.ts';

/** A catalog of many years stays readable on a phone: no list grows forever, and every agent is in one. */

const today = '2026-11-21';

const days = Array.from({ length: 230 }, (_, index) => addDays(today, -index));
const files = await inFolder((folder) => {
  writeCatalog(
    folder,
    days.map((date, index) => ({
      slug: `agent-${date}`,
      date,
      front: {
        ...(index === 0 ? { formerSlugs: '[old, older]' } : {}),
        ...(index < 101 ? { tags: '[small, testing, recent]' } : {}),
        ...(index >= 160 ? { tags: `[small, testing, own-${index}]` } : {}),
      },
    })),
  );
  return render(folder, { today });
});
const page = (path: string) => {
  assert.ok(files.has(path), `${path} is missing`);
  return files.get(path) ?? '';
};

test('above 200 agents, the archive is divided by month and lists into pages, and every agent is still linked', () => {
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
  assert.not(files.has('categories/coding/4.html'));
  assert.match(page('categories/coding/2.html'), /rel="prev" href="\/categories\/coding"/);
  assert.is(linked(page('tags/testing/3.html')).length, 30);
  assert.is(linked(page('index.html')).length, 13);

  for (const path of ['archive/2026', 'archive/2026/05', 'categories/coding/2', 'tags/small/3']) {
    assert.match(page('sitemap.xml'), `<loc>https://press.example/${path}</loc>`);
  }
});

test('no list is written before an agent that it links to, and the files of an agent are written together', () => {
  const paths = [...files.keys()];
  const placesOf = (part: string) => paths.flatMap((path, place) => (path.includes(part) ? [place] : []));
  const places = days.map((date) => placesOf(`/agent-${date}`));
  assert.equal(
    places.map((own) => Math.max(...own) - Math.min(...own)),
    places.map((own) => own.length - 1),
  );
  assert.ok(Math.max(...places.flat()) < Math.min(...placesOf('archive'), ...placesOf('feed.xml')));
});

test('the search of the archive offers only what some agent has', () => {
  const choices = (name: string) => {
    const [, options = ''] =
      new RegExp(`<select[^>]* name="${name}"[^>]*>([\\s\\S]*?)</select>`).exec(page('archive.html')) ?? [];
    return [...options.matchAll(/value="([^"]*)"/g)].map(([, value]) => value);
  };
  assert.equal(
    [choices('difficulty'), choices('runtime')],
    [
      ['', 'easy'],
      ['', 'Claude'],
    ],
  );
});

test('a preview knows which output makes each file, at both addresses of a page', () => {
  for (const path of files.keys()) {
    if (path === 'build.json') continue;
    const makers = outputsAt(path);
    assert.ok(makers.length > 0, path);
    const other = path.replace(/\/index\.html$/, '.html');
    if (files.has(other))
      assert.ok(
        outputsAt(other).every((output) => makers.includes(output)),
        path,
      );
  }
});

test('the archive offers the 60 tags that most agents have, by name', () => {
  const offered = [...page('archive.html').matchAll(/href="\/tags\/([a-z0-9-]+)"/g)].map(([, tag]) => tag);
  const rare = Array.from({ length: 57 }, (_, index) => `own-${160 + index}`);
  assert.equal(offered, [...rare, 'recent', 'small', 'testing']);
  assert.ok(files.has('tags/own-229.html'), 'the others have a page too');
});

test('every page of a list says how many agents the whole list has', () => {
  assert.match(page('tags/recent.html'), '<p>101 agents, newest first; page 1 of 2.');
  assert.match(page('tags/recent/2.html'), '<p>101 agents, newest first; page 2 of 2.');
  assert.is(linked(page('tags/recent/2.html')).length, 1);
});

test('every page has a unique title and description', () => {
  const pages = new Map<string, string[]>();
  for (const [path, html] of files) {
    if (!path.endsWith('.html') || /\/index\.html$|^mail\//.test(path)) continue;
    const title = /<title>([^<]*)<\/title>/.exec(html)?.[1];
    const description = /<meta name="description" content="([^"]*)">/.exec(html)?.[1];
    for (const text of [`title: ${title}`, `description: ${description}`]) {
      pages.set(text, [...(pages.get(text) ?? []), path]);
    }
  }
  assert.ok(pages.size > 500);
  const shared = [...pages].filter(([, paths]) => paths.length > 1);
  assert.equal(shared, []);
  assert.match(
    page('tags/small/2.html'),
    'such as The agent-2026-11-21 agent, The agent-2026-11-20 agent, The agent-2026-11-19 agent. Page 2 of 3: agents from 2026-05-06 to 2026-08-13.',
  );
});

/** The schema.org nodes of a page. */
function graphOf(path: string): Record<string, unknown>[] {
  const [data = '{}'] = /(?<=<script type="application\/ld\+json">).*?(?=<\/script>)/s.exec(page(path)) ?? [];
  return JSON.parse(data)['@graph'] ?? [];
}

const address = z.string().regex(/^https:\/\/press\.example(?:\/|$)/);
const publisher = z.strictObject({
  '@type': z.literal('Organization'),
  name: z.literal('Test Press'),
  url: z.literal('https://press.example'),
});
const day = z.iso.date();
const item = z.strictObject({ '@type': z.literal('ListItem'), position: z.int().min(1), name: z.string().min(1) });
const reference = z.strictObject({ '@id': address });
/** The schema.org nodes of pages, each with the properties that search engines require. */
const nodes = z.discriminatedUnion('@type', [
  z.strictObject({
    '@type': z.literal('WebSite'),
    '@id': address,
    url: address,
    ...Object.fromEntries(
      ['name', 'alternativeHeadline', 'description', 'inLanguage'].map((key) => [key, z.string().min(1)]),
    ),
    publisher,
  }),
  z.strictObject({
    '@type': z.literal('CreativeWork'),
    ...Object.fromEntries(['@id', 'url', 'image'].map((key) => [key, address])),
    ...Object.fromEntries(
      ['name', 'abstract', 'description', 'genre', 'inLanguage', 'creditText'].map((key) => [key, z.string().min(1)]),
    ),
    position: z.int(),
    datePublished: day,
    dateModified: day,
    keywords: z.array(z.string()),
    license: z.url(),
    author: publisher,
    publisher,
    isPartOf: reference,
    encoding: z.array(
      z.strictObject({ '@type': z.literal('MediaObject'), encodingFormat: z.string(), contentUrl: address }),
    ),
  }),
  z.strictObject({
    '@type': z.literal('HowTo'),
    name: z.string(),
    description: z.string(),
    about: reference,
    step: z.array(item.extend({ '@type': z.literal('HowToStep'), text: z.string().min(1), url: address })).min(1),
  }),
  z.strictObject({
    '@type': z.literal('BreadcrumbList'),
    itemListElement: z.array(item.extend({ item: address })).min(2),
  }),
  z.strictObject({
    '@type': z.literal('ItemList'),
    '@id': address,
    url: address,
    numberOfItems: z.int(),
    itemListOrder: z.literal('https://schema.org/ItemListOrderDescending'),
    itemListElement: z.array(item.extend({ url: address })).min(1),
  }),
]);

test('the structured data of every page has the form that search engines require', () => {
  const found = new Set<string>();
  for (const path of files.keys()) {
    if (!path.endsWith('.html')) continue;
    for (const node of graphOf(path)) {
      assert.is(nodes.safeParse(node).error?.message, undefined, path);
      found.add(String(node['@type']));
    }
  }
  assert.equal([...found].sort(), ['BreadcrumbList', 'CreativeWork', 'HowTo', 'ItemList', 'WebSite']);
});

for (const [path, url, listed, of] of [
  ['index.html', '/', 13, 13],
  ['archive.html', '/archive', 21, 230],
  ['archive/2026.html', '/archive/2026', 230, 230],
  ['archive/2026/05.html', '/archive/2026/05', 31, 31],
  ['categories/coding.html', '/categories/coding', 100, 230],
  ['tags/small/3.html', '/tags/small/3', 30, 230],
] as const) {
  test(`${path} lists the same agents for search engines, in the same order`, () => {
    const list = graphOf(path).find((node) => node['@type'] === 'ItemList') as Record<string, unknown>;
    const items = list.itemListElement as { position: number; url: string }[];
    assert.is(list.url, `https://press.example${url}`);
    assert.is(list.numberOfItems, of);
    assert.is(items.length, listed);
    assert.equal(
      items.map((one) => one.url),
      linked(page(path)).map((slug) => `https://press.example/agents/${slug}`),
    );
    const first = path === 'tags/small/3.html' ? 201 : 1;
    assert.equal(
      items.map(({ position }) => position),
      items.map((_, index) => first + index),
    );
  });
}

/** Returns the agents that a page links to, except those with more than one link. */
function linked(html: string): string[] {
  return [...new Set([...html.matchAll(/href="\/agents\/([a-z0-9-]+)"/g)].map(([, slug = '']) => slug))];
}

function inMonth(days: readonly string[], month: string): string[] {
  return days.filter((day) => day.startsWith(month)).map((day) => `agent-${day}`);
}

test.run();

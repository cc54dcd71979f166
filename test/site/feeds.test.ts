import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, smallAgent, temporaryFolder, writeCatalog, writeFiles } from '../support/catalog.ts';
import { loud } from '../support/loud.ts';
import { render } from '../support/render.ts';
import { readXml } from '../support/xml.ts';

/** Feed readers rely on this: well-formed XML, ids that never change, the dates of the agents, absolute links. */

const folder = temporaryFolder();
let site: Map<string, string>;

const nasty = 'Cut & <b>paste</b> ]]> "quoted" ]]> text';

test.before(
  loud(() => {
    writeCatalog(
      folder.path,
      [
        { slug: 'first', date: '2026-01-01' },
        { slug: 'second', date: '2026-01-02' },
        { slug: 'third', date: '2026-03-29' },
      ],
      {
        timezone: 'Europe/Berlin',
        baseUrl: 'https://press.example/catalog',
        publisher: { name: 'A & B', url: 'https://press.example?a=1&b=2', email: 'desk@press.example' },
      },
    );
    writeNasty(join(folder.path, 'agents', 'second'));
    site = render(folder.path, { today: '2026-03-29' });
  }),
);
test.after(loud(() => folder.remove()));

function writeNasty(path: string): void {
  const files = smallAgent({ slug: 'second', date: '2026-01-02', front: { title: JSON.stringify(nasty) } });
  const body =
    '\n[root](/archive) [near](first) [part](#x) [out](https://example.org/a?b=1&c=2) ]]> <script>alert(1)</script>\n';
  writeFiles(path, { ...files, 'agent.md': `${files['agent.md']}${body}` });
}

const text = (path: string) => site.get(path) ?? '';

test('a strict parser accepts every XML document', () => {
  const documents = [...site.keys()].filter((path) => /\.(?:xml|svg|xsl|opml|rss|atom)$|opensearch/.test(path));
  assert.equal(documents.sort(), ['assets/favicon.svg', 'atom.xml', 'feed.xml', 'feeds/coding.xml', 'sitemap.xml']);
  for (const path of documents) readXml(text(path));
  assert.throws(() => readXml('<a>]]></a>'), /not allowed in content/);
});

test('every XML document is well-formed below any address, also before the first agent is published', async () => {
  const settings = { baseUrl: "https://press.example/a&b/c'd" };
  await inFolder((path) => {
    writeCatalog(path, [{ slug: 'first', date: '2026-01-01' }], settings);
    for (const [name, document] of render(path, { today: '2026-03-29' })) {
      if (name.endsWith('.xml')) readXml(document);
    }
    const empty = render(path, { today: '2025-12-31' });
    const [{ feed }, { rss }] = ['atom.xml', 'feed.xml'].map((name) => readXml(empty.get(name) ?? ''));
    assert.equal([feed.title, feed.updated, feed.entry], ['Small Catalog', '1970-01-01T00:00:00.000Z', undefined]);
    assert.equal([rss.channel.title, rss.channel.item], ['Small Catalog', undefined]);
  });
});

for (const path of ['feed.xml', 'atom.xml']) {
  test(`${path} links absolutely, and keeps markup in the prompt from becoming markup`, () => {
    const links = [...text(path).matchAll(/href="([^"]*)"/g)].map(([, link]) => link ?? '');
    assert.ok(links.length > 6);
    for (const link of links) assert.match(link, /^https:\/\//);
    assert.ok(links.includes('https://press.example/catalog/archive'));
    assert.ok(links.includes('https://press.example/catalog/agents/first'));
    assert.not.match(text(path), /<script>/);
  });
}

test('Atom has the ids, dates and titles of its agents, newest first', () => {
  const { feed } = readXml(text('atom.xml'));
  assert.is(feed.id, 'tag:press.example,2026:catalog');
  assert.is(feed.updated, '2026-03-28T23:00:00.000Z');
  assert.is(feed.author.name, 'A & B');
  assert.equal(
    feed.entry.map(({ id, updated, published }: Record<string, string>) => [id, updated, published]),
    [
      ['tag:press.example,2026:catalog/issues/3', '2026-03-28T23:00:00.000Z', '2026-03-28T23:00:00.000Z'],
      ['tag:press.example,2026:catalog/issues/2', '2026-01-01T23:00:00.000Z', '2026-01-01T23:00:00.000Z'],
      ['tag:press.example,2026:catalog/issues/1', '2025-12-31T23:00:00.000Z', '2025-12-31T23:00:00.000Z'],
    ],
  );
});

test('RSS has the ids, dates and links of its agents, newest first', () => {
  const { channel } = readXml(text('feed.xml')).rss;
  assert.is(channel.lastBuildDate, 'Sat, 28 Mar 2026 23:00:00 GMT');
  assert.equal(
    channel.item.map(({ guid, pubDate, link }: Record<string, string> & { guid: Record<string, string> }) => [
      guid['#text'],
      guid.isPermaLink,
      pubDate,
      link,
    ]),
    [
      [
        'tag:press.example,2026:catalog/issues/3',
        'false',
        'Sat, 28 Mar 2026 23:00:00 GMT',
        'https://press.example/catalog/agents/third',
      ],
      [
        'tag:press.example,2026:catalog/issues/2',
        'false',
        'Thu, 01 Jan 2026 23:00:00 GMT',
        'https://press.example/catalog/agents/second',
      ],
      [
        'tag:press.example,2026:catalog/issues/1',
        'false',
        'Wed, 31 Dec 2025 23:00:00 GMT',
        'https://press.example/catalog/agents/first',
      ],
    ],
  );
});

test('a title that contains the end of a CDATA section is the same in each feed', () => {
  const { title } = readXml(text('atom.xml')).feed.entry[1];
  // Many readers show a title as text, whatever its type is.
  assert.equal(title, { type: 'text', '#text': nasty });
  assert.is(readXml(text('feed.xml')).rss.channel.item[1].title, nasty);
  assert.is(JSON.parse(text('feed.json')).items[1].title, nasty);
});

test('quotes and apostrophes are the same in a reader that shows titles and summaries as they are', () =>
  inFolder((path) => {
    const title = `It's "quoted" = said`;
    const excerpt = `Checks that the reader's list shows "quotes" and 'apostrophes' as the editor wrote them.`;
    writeCatalog(path, [
      { slug: 'one', date: '2026-01-01', front: { title: JSON.stringify(title), excerpt: JSON.stringify(excerpt) } },
    ]);
    const files = render(path, { today: '2026-03-29' });
    const { entry } = readXml(files.get('atom.xml') ?? '').feed;
    const { item } = readXml(files.get('feed.xml') ?? '').rss.channel;
    assert.equal([entry.title['#text'], entry.summary['#text']], [title, excerpt]);
    assert.equal([item.title, item.description], [title, excerpt]);
  }));

/** RSS 2.0 (rssboard.org): the elements that each element can contain, and how often. */
const rssShapes = {
  channel: {
    required: ['title', 'link', 'description'],
    once: ['language', 'copyright', 'lastBuildDate', 'docs', 'generator', 'atom:link'],
    several: ['item'],
  },
  item: {
    required: ['title', 'link', 'description', 'guid', 'pubDate'],
    once: ['content:encoded', 'dc:creator'],
    several: ['category'],
  },
};
const rfc822 =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

test('RSS is strictly valid, and names the publisher as creator, without an email address', () => {
  const { rss } = readXml(text('feed.xml'));
  assert.equal(
    { ...rss, channel: null },
    {
      version: '2.0',
      'xmlns:dc': 'http://purl.org/dc/elements/1.1/',
      'xmlns:content': 'http://purl.org/rss/1.0/modules/content/',
      'xmlns:atom': 'http://www.w3.org/2005/Atom',
      channel: null,
    },
  );
  const check = (element: Record<string, unknown>, { required, once, several }: (typeof rssShapes)['item']) => {
    for (const name of required) assert.ok(name in element, `${name} is missing`);
    for (const [name, value] of Object.entries(element)) {
      assert.ok([...required, ...once, ...several].includes(name), `${name} does not belong here`);
      assert.ok(several.includes(name) || !Array.isArray(value), `${name} is there twice`);
    }
  };
  check(rss.channel, rssShapes.channel);
  assert.match(rss.channel.lastBuildDate, rfc822);
  assert.is(rss.channel.generator, 'Daily Agent Catalog');
  assert.equal(rss.channel['atom:link'], {
    href: 'https://press.example/catalog/feed.xml',
    rel: 'self',
    type: 'application/rss+xml',
  });
  for (const item of rss.channel.item) {
    check(item, rssShapes.item);
    assert.match(item.pubDate, rfc822);
    assert.is(item.guid.isPermaLink, 'false');
    assert.is(item['dc:creator'], 'A & B');
  }
  assert.not.match(text('feed.xml'), 'desk@press.example');
});

test('Atom and JSON Feed name the publisher as author of the feed and of each entry', () => {
  for (const path of ['atom.xml', 'feeds/coding.xml']) {
    const { feed } = readXml(text(path));
    for (const { author } of [feed, ...feed.entry]) {
      assert.equal(author, { name: 'A & B', email: 'desk@press.example', uri: 'https://press.example/?a=1&b=2' }, path);
    }
  }
  assert.equal(JSON.parse(text('feed.json')).authors, [{ name: 'A & B', url: 'https://press.example?a=1&b=2' }]);
});

test('a feed holds no more agents than the settings say', () => {
  const settings = JSON.parse(readFileSync(join(folder.path, 'catalog.config.json'), 'utf8'));
  writeFiles(folder.path, { 'catalog.config.json': JSON.stringify({ ...settings, feedLength: 2 }) });
  const files = render(folder.path, { today: '2026-03-29' });
  const newest = ['third', 'second'].map((slug) => `https://press.example/catalog/agents/${slug}`);
  for (const path of ['atom.xml', 'feeds/coding.xml']) {
    const entries: { link: { href: string } }[] = readXml(files.get(path) ?? '').feed.entry;
    assert.equal(
      entries.map(({ link }) => link.href),
      newest,
      path,
    );
  }
  const items: { link: string }[] = readXml(files.get('feed.xml') ?? '').rss.channel.item;
  assert.equal(
    items.map(({ link }) => link),
    newest,
  );
  assert.equal(
    JSON.parse(files.get('feed.json') ?? '').items.map(({ url }: { url: string }) => url),
    newest,
  );
});

test("a category's feed has its newest agents, even if other categories have newer ones", () =>
  inFolder((path) => {
    const settings = { feedLength: 2 };
    writeCatalog(
      path,
      [
        { slug: 'rare-one', date: '2026-01-01', front: { category: 'writing' } },
        { slug: 'rare-two', date: '2026-01-02', front: { category: 'writing' } },
        { slug: 'rare-three', date: '2026-01-03', front: { category: 'writing' } },
        { slug: 'common-one', date: '2026-01-04' },
        { slug: 'common-two', date: '2026-01-05' },
      ],
      settings,
    );
    const { feed } = readXml(render(path, { today: '2026-03-29' }).get('feeds/writing.xml') ?? '');
    const links = feed.entry.map(({ link }: { link: { href: string } }) => new URL(link.href).pathname);
    assert.equal(links, ['/agents/rare-three', '/agents/rare-two']);
  }));

test.run();

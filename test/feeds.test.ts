import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { smallAgent, snapshot, temporaryFolder, writeCatalog, writeFiles } from './support/catalog.ts';
import { loud } from './support/loud.ts';
import { catalog } from './support/process.ts';

/** What a feed reader relies on: well-formed XML, ids that never change, dates of the agents, absolute links. */

const folder = temporaryFolder();
let site: Record<string, string>;

const nasty = 'Cut & <b>paste</b> ]]> "quoted" ]]> text';

test.before(
  loud(async () => {
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
        publisher: { name: 'A & B', url: 'https://press.example?a=1&b=2' },
      },
    );
    writeNasty(join(folder.path, 'agents', 'second'));
    const built = await catalog(['build', '--cwd', folder.path, '--today', '2026-03-29']);
    assert.is(built.code, 0, built.stderr);
    site = snapshot(join(folder.path, 'dist'));
  }),
);
test.after(loud(() => folder.remove()));

function writeNasty(path: string): void {
  const files = smallAgent({ slug: 'second', date: '2026-01-02', front: { title: JSON.stringify(nasty) } });
  const body =
    '\n[root](/archive) [near](first) [part](#x) [out](https://example.org/a?b=1&c=2) ]]> <script>alert(1)</script>\n';
  writeFiles(path, { ...files, 'agent.md': `${files['agent.md']}${body}` });
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  htmlEntities: true,
});
const text = (path: string) => Buffer.from(site[path] ?? '', 'latin1').toString('utf8');

for (const path of ['feed.xml', 'atom.xml']) {
  test(`${path} is well-formed`, () => {
    assert.is(XMLValidator.validate(text(path)), true);
  });

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
  const { feed } = parser.parse(text('atom.xml'));
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
  const { channel } = parser.parse(text('feed.xml')).rss;
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

test('a feed holds no more agents than the settings say', async () => {
  const settings = JSON.parse(readFileSync(join(folder.path, 'catalog.config.json'), 'utf8'));
  writeFiles(folder.path, { 'catalog.config.json': JSON.stringify({ ...settings, feedLength: 2 }) });
  const built = await catalog(['build', '--cwd', folder.path, '--today', '2026-03-29', '--out', 'short']);
  assert.is(built.code, 0, built.stderr);
  const { feed } = parser.parse(readFileSync(join(folder.path, 'short', 'atom.xml'), 'utf8'));
  assert.is(feed.entry.length, 2);
});

test.run();

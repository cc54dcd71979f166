import { type Author, Feed, type Item } from 'feed';
import Handlebars from 'handlebars/runtime.js';
import { escapeHtml } from '../../lib/text.ts';
import { promptLicense } from '../../schema/documents.ts';
import { jsonList, type Output, type Part, single, whole } from '../output.ts';
import { documentOf } from '../shared/agent-document.ts';
import { categoriesOf } from '../shared/groups.ts';
import { assetVersion } from '../shared/page.ts';
import type { PublishedAgent, Site } from '../site.ts';

const rss = single(
  'feed.xml',
  'RSS 2.0: the newest agents',
  (site) => partsOf(site, { path: 'feed.xml', agents: newest(site), format: rssFormat }),
  (site) => whole(newest(site)),
);

const atom = single(
  'atom.xml',
  'Atom: the newest agents',
  (site) => partsOf(site, { path: 'atom.xml', agents: newest(site), format: atomFormat }),
  (site) => whole(newest(site)),
);

/** The Atom feed of a category. Its entries have the same ids as in the feed of the publication. */
const category: Output = {
  path: 'feeds/{category}.xml',
  purpose: 'Atom for one category',
  *files(site) {
    for (const { key, label, agents: all } of categoriesOf(site)) {
      const path = `feeds/${key}.xml`;
      const agents = all.slice(0, site.settings.feedLength);
      const about = {
        id: `${site.settings.feedId}/categories/${key}`,
        title: `${site.settings.title}: ${label}`,
        page: `categories/${key}`,
      };
      yield {
        path,
        inputs: whole(agents),
        render: () => partsOf(site, { path, agents, format: atomFormat, about }),
      };
    }
  },
};

/** The agents in the feeds and emails, newest first. */
export function newest({ agents, settings }: Site): PublishedAgent[] {
  return agents.slice(0, settings.feedLength);
}

/** The id of an entry, a tag: URI (RFC 4151; C6.20). It has the issue number, which stays when the slug changes. */
function entryId({ settings }: Site, { issue }: PublishedAgent): string {
  return `${settings.feedId}/issues/${issue}`;
}

/** Rendered contents, since an agent is in several feeds. Each site makes its own agents, so another site finds nothing here. */
const contents = new WeakMap<PublishedAgent, string>();

/** Renders the full content of an entry as HTML, with absolute links. */
function entryContent(site: Site, agent: PublishedAgent): string {
  const cached = contents.get(agent);
  if (cached !== undefined) return cached;
  const document = documentOf(agent);
  const content = site.templates.render('feed-entry', {
    agent: document,
    howItWorks: site.markdown.forFeed(document.howItWorks, document.url),
    settings: site.settings,
  });
  contents.set(agent, content);
  return content;
}

/** The last change of some agents, or 1970 without any: only agents change a feed, never the clock. */
function updatedOf(agents: readonly PublishedAgent[]): Date {
  return new Date(Math.max(0, ...agents.map(({ changed }) => changed.getTime())));
}

interface FeedInput {
  /** The path of the feed below the base URL. */
  path: string;
  agents: readonly PublishedAgent[];
  format: Format;
  /** The subject of the feed. @default the publication */
  about?: { id: string; title: string; page: string };
}

/** How to pass values to the library that RSS and Atom write differently. */
type Format = typeof atomFormat | typeof rssFormat;

/** Titles are text: the library declares them as HTML, but many readers would show `Q&amp;A`. */
const atomFormat = {
  write: (feed: Feed) => feed.atom1().replace('<title type="html">', '<title type="text">'),
  /** The element of an entry. */
  element: 'entry',
  /** The label of a category. */
  label: (label: string) => label,
  /** The author of an entry. */
  byline: (author: Author) => ({ author: [author] }),
};

/** `author` may only be an email address (RSS 2.0), so entries name their creator. */
const rssFormat = {
  write: (feed: Feed) => feed.rss2(),
  element: 'item',
  label: xmlText,
  byline: ({ name }: Author) => ({ extensions: [{ name: 'dc:creator', objects: { _text: name } }] }),
};

/** Replaces `]]>` in texts, since the library escapes only the first one. No text contains U+FFFE. */
const cdataEnd = ']]\uFFFE>';

/** Escapes a text for an element, because the library treats `&amp;` in it as already escaped. */
function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;');
}

/**
 * Divides a feed into parts, one for each entry, so that after an edit the other entries are copied from the last build
 * instead of being rendered. The library writes whole feeds only: each part is cut out of a feed with a single entry.
 */
function partsOf(site: Site, input: FeedInput): Part[] {
  const { agents, format } = input;
  const author = authorOf(site);
  const write = (items: readonly Item[], feed = feedOf(site, input)) => {
    for (const item of items) feed.addItem(item);
    return styled(site, format.write(feed));
  };
  if (agents.length === 0) return [{ input: 'empty', render: () => write([]) }];
  const any = { title: '-', link: site.url.absolute(), content: '-', date: updatedOf(agents) };
  const [before, , after] = divide(write([{ ...any, ...format.byline(author) }]), format.element);
  return [
    { input: before, render: () => before },
    ...agents.map((agent) => ({
      input: agent.fingerprint.whole,
      render: () => divide(write([itemOf(site, agent, format)], new Feed(shortest)), format.element)[1],
    })),
    { input: after, render: () => after },
  ];
}

/** Divides a feed with one entry into what precedes the entry, the entry, and the rest. */
function divide(xml: string, element: string): [before: string, entry: string, after: string] {
  const begin = xml.lastIndexOf('\n', xml.indexOf(`<${element}>`)) + 1;
  const end = xml.indexOf('\n', xml.lastIndexOf(`</${element}>`)) + 1;
  return [xml.slice(0, begin), xml.slice(begin, end), xml.slice(end)];
}

function authorOf({ settings: { publisher } }: Site): Author & { name: string } {
  return {
    name: xmlText(publisher.name),
    link: publisher.url,
    ...(publisher.email === undefined ? {} : { email: publisher.email }),
  };
}

/** The least that the library wants to know of a feed of which only the entry is used. */
const shortest = { id: '-', title: '-', copyright: '-', link: 'https://example.org', updated: new Date(0) };

function feedOf(site: Site, { path, agents, about }: FeedInput): Feed {
  const { settings, url } = site;
  return new Feed({
    id: about?.id ?? settings.feedId,
    title: xmlText(about?.title ?? settings.title),
    description: xmlText(settings.description),
    language: settings.language,
    link: url.absolute(about?.page),
    feed: url.absolute(path),
    updated: updatedOf(agents),
    author: authorOf(site),
    copyright: xmlText(`${settings.publisher.name}, ${promptLicense.name}`),
    generator: 'Daily Agent Catalog',
  });
}

function itemOf(site: Site, agent: PublishedAgent, format: Format): Item {
  const { document } = agent;
  return {
    id: entryId(site, agent),
    title: agent.title.replaceAll(']]>', cdataEnd),
    link: document.url,
    date: agent.changed,
    published: agent.published,
    description: escapeHtml(agent.excerpt),
    content: entryContent(site, agent),
    ...format.byline(authorOf(site)),
    category: [
      { name: format.label(document.categoryLabel), term: agent.category, scheme: site.url.absolute('archive') },
    ],
  };
}

/** Characters that are not allowed in XML (XML 1.0, Char). Agents have none, but a custom template may. */
const notInXml = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Adds a stylesheet for browsers (W3C, Associating Style Sheets with XML), the language of Atom, and a newline at the end. */
function styled({ assets, settings, url }: Site, xml: string): string {
  const sheet = assets.get('assets/feed.css');
  const version = sheet === undefined ? '' : `?v=${assetVersion(sheet)}`;
  const href = Handlebars.escapeExpression(`${url.absolute('assets/feed.css')}${version}`);
  const heading = `?>\n<?xml-stylesheet type="text/css" href="${href}"?>`;
  const feed = xml.replace(/^<feed /m, `<feed xml:lang="${settings.language}" `);
  return `${feed.replaceAll(cdataEnd, ']]]]><![CDATA[>').replace('?>', () => heading)}\n`.replace(notInXml, '\uFFFD');
}

/** JSON Feed 1.1 (jsonfeed.org/version/1.1). The feed library writes only version 1. */
const jsonFeed = jsonList('feed.json', 'JSON Feed 1.1: the newest agents', 'items', (site) => {
  const { settings, url } = site;
  const document = {
    version: 'https://jsonfeed.org/version/1.1',
    title: settings.title,
    home_page_url: url.absolute(),
    feed_url: url.absolute('feed.json'),
    description: settings.description,
    language: settings.language,
    authors: [{ name: settings.publisher.name, url: settings.publisher.url }],
  };
  const items = newest(site).map((agent) => ({
    input: agent.fingerprint.whole,
    value: () => jsonItemOf(site, agent),
  }));
  return { document, items };
});

function jsonItemOf(site: Site, agent: PublishedAgent): object {
  return {
    id: entryId(site, agent),
    url: agent.document.url,
    title: agent.title,
    summary: agent.excerpt,
    content_html: entryContent(site, agent),
    date_published: agent.published.toISOString(),
    date_modified: agent.changed.toISOString(),
    tags: [agent.document.categoryLabel, ...agent.tags],
  };
}

export const feedOutputs: readonly Output[] = [rss, atom, category, jsonFeed];

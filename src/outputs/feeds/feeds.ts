import { type Author, Feed, type Item } from 'feed';
import Handlebars from 'handlebars';
import { type Output, single } from '../output.ts';
import { categoriesOf } from '../shared/groups.ts';
import { assetVersion } from '../shared/page.ts';
import type { PublishedAgent, Site } from '../site.ts';

export const rss = single('feed.xml', 'application/rss+xml; charset=utf-8', 'RSS 2.0: the newest agents', (site) => {
  const feed = feedOf(site, {
    path: 'feed.xml',
    agents: newest(site),
    format: rssFormat,
  });
  return styled(site, feed.rss2());
});

export const atom = single('atom.xml', 'application/atom+xml; charset=utf-8', 'Atom: the newest agents', (site) => {
  const feed = feedOf(site, { path: 'atom.xml', agents: newest(site), format: atomFormat });
  return styled(site, feed.atom1());
});

/** Atom for one category; its entries have the same ids as in the whole feed. */
export const category: Output = {
  path: 'feeds/{category}.xml',
  type: 'application/atom+xml; charset=utf-8',
  purpose: 'Atom for one category',
  *files(site) {
    for (const { key, label, agents } of categoriesOf(site)) {
      const path = `feeds/${key}.xml`;
      const render = () => {
        const feed = feedOf(site, {
          path,
          agents: agents.slice(0, site.settings.feedLength),
          format: atomFormat,
          about: {
            id: `${site.settings.feedId}/categories/${key}`,
            title: `${site.settings.title}: ${label}`,
            page: `categories/${key}`,
          },
        });
        return styled(site, feed.atom1());
      };
      yield { path, render };
    }
  },
};

/** The agents that the feeds hold, newest first. */
export function newest({ agents, settings }: Site): PublishedAgent[] {
  return agents.slice(0, settings.feedLength);
}

/** The id of an entry, a tag: URI (RFC 4151). It stands on the number, which an agent keeps even when its slug changes. */
export function entryId({ settings }: Site, { issue }: PublishedAgent): string {
  return `${settings.feedId}/issues/${issue}`;
}

/** The full content of an entry as HTML, with absolute links. */
export function entryContent(site: Site, agent: PublishedAgent): string {
  return site.templates.render('feed-entry', {
    agent: agent.document,
    howItWorks: site.markdown.forFeed(agent.howItWorks, agent.document.url),
    settings: site.settings,
  });
}

/** The last change of some agents, or the start of time: what changes a feed is an agent, never the clock. */
function updatedOf(agents: readonly PublishedAgent[]): Date {
  return new Date(Math.max(0, ...agents.map(({ changed }) => changed.getTime())));
}

interface FeedInput {
  /** Where the feed itself is, below the base URL. */
  path: string;
  agents: readonly PublishedAgent[];
  format: Format;
  /** What the feed is about; default: the whole publication. */
  about?: { id: string; title: string; page: string };
}

/** How the library has to be given what the two kinds of feed write in different ways. */
interface Format {
  title(title: string): string;
  /** The label of a category. */
  label(label: string): string;
  /** Who an entry is by. */
  byline(author: Author): Pick<Item, 'author' | 'extensions'>;
}

/** Titles are HTML. */
const atomFormat: Format = {
  title: Handlebars.escapeExpression,
  label: (label) => label,
  byline: (author) => ({ author: [author] }),
};

/** Titles are text. `author` is for an e-mail address alone (RSS 2.0), so that entries name their creator. */
const rssFormat: Format = {
  title: (title) => title.replaceAll(']]>', cdataEnd),
  label: xmlText,
  byline: ({ name }) => ({ extensions: [{ name: 'dc:creator', objects: { _text: name } }] }),
};

/** Stands for the end of a CDATA section within one, of which the library knows only the first; no text holds U+FFFE. */
const cdataEnd = ']]\uFFFE>';

/** A text for an element: the library takes `&amp;` in it for an ampersand that is escaped already. */
function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;');
}

function feedOf(site: Site, { path, agents, format, about }: FeedInput): Feed {
  const { settings, url } = site;
  const { publisher } = settings;
  const author = {
    name: xmlText(publisher.name),
    link: publisher.url,
    ...(publisher.email === undefined ? {} : { email: publisher.email }),
  };
  const feed = new Feed({
    id: about?.id ?? settings.feedId,
    title: xmlText(about?.title ?? settings.title),
    description: xmlText(settings.description),
    language: settings.language,
    link: url.absolute(about?.page),
    feed: url.absolute(path),
    updated: updatedOf(agents),
    author,
    copyright: xmlText(`${publisher.name}, CC BY 4.0`),
    generator: 'Daily Agent Catalog',
  });
  for (const agent of agents) {
    const { document } = agent;
    feed.addItem({
      id: entryId(site, agent),
      title: format.title(agent.title),
      link: document.url,
      date: agent.changed,
      published: agent.published,
      description: Handlebars.escapeExpression(agent.excerpt),
      content: entryContent(site, agent),
      ...format.byline(author),
      category: [
        {
          name: format.label(document.categoryLabel),
          term: agent.category,
          scheme: url.absolute('archive'),
          domain: url.absolute('archive'),
        },
      ],
    });
  }
  return feed;
}

/** The XML of a feed with a newline at its end and a stylesheet for browsers (W3C, Associating Style Sheets with XML). */
/** What no XML document may hold (XML 1.0, Char). Content has none; the template of a catalog might. */
const notInXml = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

function styled({ assets, url }: Site, xml: string): string {
  const sheet = assets.get('assets/feed.css');
  const version = sheet === undefined ? '' : `?v=${assetVersion(sheet)}`;
  const href = Handlebars.escapeExpression(`${url.absolute('assets/feed.css')}${version}`);
  const heading = `?>\n<?xml-stylesheet type="text/css" href="${href}"?>`;
  return `${xml.replaceAll(cdataEnd, ']]]]><![CDATA[>').replace('?>', () => heading)}\n`.replace(notInXml, '\uFFFD');
}

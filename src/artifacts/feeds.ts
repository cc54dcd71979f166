import { type Author, Feed, type Item } from 'feed';
import Handlebars from 'handlebars';
import { type Artifact, single } from './artifact.ts';
import { categoriesOf } from './groups.ts';
import { assetVersion } from './page.ts';
import type { PublishedAgent, Site } from './site.ts';

export const rss = single('feed.xml', 'application/rss+xml; charset=utf-8', 'RSS 2.0: the newest agents', (site) => {
  const feed = feedOf(site, {
    path: 'feed.xml',
    agents: newest(site),
    title: (title) => title.replaceAll(']]>', ']]&gt;'),
    byline: ({ name }) => ({ extensions: [{ name: 'dc:creator', objects: { _text: name } }] }),
  });
  return styled(site, feed.rss2());
});

export const atom = single('atom.xml', 'application/atom+xml; charset=utf-8', 'Atom: the newest agents', (site) => {
  const feed = feedOf(site, { path: 'atom.xml', agents: newest(site), title: Handlebars.escapeExpression, byline });
  return styled(site, feed.atom1());
});

/** Atom for one category; its entries have the same ids as in the whole feed. */
export const category: Artifact = {
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
          title: Handlebars.escapeExpression,
          byline,
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
  /** Titles are HTML in Atom, text in RSS. */
  title: (title: string) => string;
  /** Who an entry is by. RSS takes an `author` for an e-mail address alone, so it names the creator instead. */
  byline: (author: Author) => Pick<Item, 'author' | 'extensions'>;
  /** What the feed is about; default: the whole publication. */
  about?: { id: string; title: string; page: string };
}

const byline: FeedInput['byline'] = (author) => ({ author: [author] });

function feedOf(site: Site, { path, agents, title, byline, about }: FeedInput): Feed {
  const { settings, url } = site;
  const { publisher } = settings;
  const author = {
    name: publisher.name,
    link: publisher.url,
    ...(publisher.email === undefined ? {} : { email: publisher.email }),
  };
  const feed = new Feed({
    id: about?.id ?? settings.feedId,
    title: about?.title ?? settings.title,
    description: settings.description,
    language: settings.language,
    link: url.absolute(about?.page),
    feed: url.absolute(path),
    updated: updatedOf(agents),
    author,
    copyright: `${publisher.name}, CC BY 4.0`,
    generator: 'Daily Agent Catalog',
  });
  for (const agent of agents) {
    const { document } = agent;
    feed.addItem({
      id: entryId(site, agent),
      title: title(agent.title),
      link: document.url,
      date: agent.changed,
      published: agent.published,
      description: Handlebars.escapeExpression(agent.excerpt),
      content: entryContent(site, agent),
      ...byline(author),
      category: [
        {
          name: document.categoryLabel,
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
  return `${xml.replace('?>', `?>\n<?xml-stylesheet type="text/css" href="${href}"?>`)}\n`.replace(notInXml, '\uFFFD');
}

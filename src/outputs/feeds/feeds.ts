import { type Author, Feed, type Item } from 'feed';
import Handlebars from 'handlebars';
import { promptLicense } from '../../schema/license.ts';
import { type Output, single, whole } from '../output.ts';
import { categoriesOf } from '../shared/groups.ts';
import { assetVersion } from '../shared/page.ts';
import type { PublishedAgent, Site } from '../site.ts';

export const rss = single(
  'feed.xml',
  'RSS 2.0: the newest agents',
  (site) => {
    const feed = feedOf(site, { path: 'feed.xml', agents: newest(site), format: rssFormat });
    return styled(site, feed.rss2());
  },
  (site) => whole(newest(site)),
);

export const atom = single(
  'atom.xml',
  'Atom: the newest agents',
  (site) => {
    const feed = feedOf(site, { path: 'atom.xml', agents: newest(site), format: atomFormat });
    return styled(site, feed.atom1());
  },
  (site) => whole(newest(site)),
);

/** The Atom feed of a category. Its entries have the same ids as in the feed of the publication. */
export const category: Output = {
  path: 'feeds/{category}.xml',
  purpose: 'Atom for one category',
  *files(site) {
    for (const { key, label, agents: all } of categoriesOf(site)) {
      const path = `feeds/${key}.xml`;
      const agents = all.slice(0, site.settings.feedLength);
      const render = () => {
        const feed = feedOf(site, {
          path,
          agents,
          format: atomFormat,
          about: {
            id: `${site.settings.feedId}/categories/${key}`,
            title: `${site.settings.title}: ${label}`,
            page: `categories/${key}`,
          },
        });
        return styled(site, feed.atom1());
      };
      yield { path, inputs: whole(agents), render };
    }
  },
};

/** The agents in the feeds, newest first. */
export function newest({ agents, settings }: Site): PublishedAgent[] {
  return agents.slice(0, settings.feedLength);
}

/** The id of an entry, a tag: URI (RFC 4151; C6.20). It has the issue number, which stays when the slug changes. */
export function entryId({ settings }: Site, { issue }: PublishedAgent): string {
  return `${settings.feedId}/issues/${issue}`;
}

/** Renders the full content of an entry as HTML, with absolute links. */
export function entryContent(site: Site, agent: PublishedAgent): string {
  return site.templates.render('feed-entry', {
    agent: agent.document,
    howItWorks: site.markdown.forFeed(agent.howItWorks, agent.document.url),
    settings: site.settings,
  });
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
interface Format {
  title(title: string): string;
  /** The label of a category. */
  label(label: string): string;
  /** The author of an entry. */
  byline(author: Author): Pick<Item, 'author' | 'extensions'>;
}

/** Titles are HTML. */
const atomFormat: Format = {
  title: Handlebars.escapeExpression,
  label: (label) => label,
  byline: (author) => ({ author: [author] }),
};

/** Titles are text. `author` may only be an email address (RSS 2.0), so entries name their creator. */
const rssFormat: Format = {
  title: (title) => title.replaceAll(']]>', cdataEnd),
  label: xmlText,
  byline: ({ name }) => ({ extensions: [{ name: 'dc:creator', objects: { _text: name } }] }),
};

/** Replaces `]]>` in texts, since the library escapes only the first one. No text contains U+FFFE. */
const cdataEnd = ']]\uFFFE>';

/** Escapes a text for an element, because the library treats `&amp;` in it as already escaped. */
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
    copyright: xmlText(`${publisher.name}, ${promptLicense.name}`),
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

/** Characters that are not allowed in XML (XML 1.0, Char). Agents have none, but a custom template may. */
const notInXml = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Adds a stylesheet for browsers (W3C, Associating Style Sheets with XML) and a newline at the end. */
function styled({ assets, url }: Site, xml: string): string {
  const sheet = assets.get('assets/feed.css');
  const version = sheet === undefined ? '' : `?v=${assetVersion(sheet)}`;
  const href = Handlebars.escapeExpression(`${url.absolute('assets/feed.css')}${version}`);
  const heading = `?>\n<?xml-stylesheet type="text/css" href="${href}"?>`;
  return `${xml.replaceAll(cdataEnd, ']]]]><![CDATA[>').replace('?>', () => heading)}\n`.replace(notInXml, '\uFFFD');
}

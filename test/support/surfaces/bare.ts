import { publication } from '../rich-catalog.ts';
import type { Expected } from './reader.ts';

/** What the files of a preview without agents and without a server say: the texts of the publication, and empty lists. */

const { title: name, description, tagline, feedId, baseUrl: base } = publication;

/** The pages that every site has. */
const lists = ['', 'archive', 'about', 'developers'].map((path) => `${base}/${path}`);

/** Files that are XML. */
export const bareXml: Record<string, Expected> = {
  'feed.xml': {
    '/rss/channel/title': name,
    '/rss/channel/lastBuildDate': 'Thu, 01 Jan 1970 00:00:00 GMT',
    '/rss/channel/item': [],
  },
  'atom.xml': {
    '/a:feed/a:id': feedId,
    '/a:feed/a:title': name,
    '/a:feed/a:updated': '1970-01-01T00:00:00.000Z',
    '/a:feed/a:entry': [],
  },
  'sitemap.xml': {
    '/s:urlset/s:url/s:loc': lists,
    // An entry has an address and nothing else.
    '/s:urlset/s:url': lists,
  },
};

/** Files that are JSON. */
export const bareJson: Record<string, Expected> = {
  'feed.json': { title: name, description, items: '[]' },
  'api/agents.json': { count: '0', agents: '[]' },
  'api/openapi.json': { 'info.title': name, 'servers.*.url': base },
  'api/mcp/server-card': { name: 'example.site/agents', title: name, description: tagline, remotes: [] },
  '.well-known/agent-skills/index.json': { skills: '[]' },
  'marketplace.json': { plugins: '[]' },
  'api/evals.json': { agents: '[]' },
  'api/revisions.json': { complete: 'false', agents: '[]' },
};

/** Files that are plain text. */
export const bareTexts: Record<string, string> = {
  'robots.txt': 'User-agent: *\nDisallow: /\n',
  // A year after the start of 1970, in Tokyo.
  '.well-known/security.txt': `Contact: ${publication.securityContact}\nExpires: 2099-12-31T15:00:00.000Z\nPreferred-Languages: en\nCanonical: ${base}/.well-known/security.txt\n`,
};

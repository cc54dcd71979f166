import { extname } from 'node:path/posix';
import { configTypes } from '../schema/slugs.ts';

const html = 'text/html; charset=utf-8';
const plain = 'text/plain; charset=utf-8';
const markdown = 'text/markdown; charset=utf-8';
const json = 'application/json';
const zip = 'application/zip';
const atom = 'application/atom+xml; charset=utf-8';

/** The content types of assets by file extension. All others are plain text. */
const assetTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  json,
};

const assetType = (path: string) => assetTypes[extname(path).slice(1)] ?? plain;
const configType = (path: string) => configTypes[extname(path).slice(1)] ?? plain;

/**
 * The content type of each output by its path, with a charset for text; a function if it depends on the file. It is apart
 * from the outputs, so that the server needs no code that renders.
 */
export const contentTypes = {
  'assets/{folder}/{file}': assetType,
  'assets/{file}': assetType,
  'agents/{slug}/prompt.txt': plain,
  'agents/{slug}/sample-output.txt': plain,
  'agents/{slug}/config.{ext}': configType,
  'api/agents/{slug}.json': json,
  'api/evals/{slug}.json': json,
  '.well-known/agent-skills/{slug}/SKILL.md': markdown,
  '.well-known/agent-skills/{slug}.zip': zip,
  'agents/{slug}/.well-known/agent-skills/index.json': json,
  'plugins/{plugin}.zip': zip,
  'og/{slug}.png': 'image/png',
  'agents/{slug}.md': markdown,
  'agents/{slug}.html': html,
  'agents/{slug}/index.html': html,
  'agents/{former}.html': html,
  'agents/{former}/index.html': html,
  'mail/{issue}.html': html,
  'mail/{issue}.txt': plain,
  '404.html': html,
  'thanks/{form}.html': html,
  'refused.html': html,
  'subscription/{page}.html': html,
  'categories/{category}/{page}.html': html,
  'categories/{category}.html': html,
  'categories/{category}/index.html': html,
  'tags/{tag}/{page}.html': html,
  'tags/{tag}.html': html,
  'tags/{tag}/index.html': html,
  'archive/{year}/{month}.html': html,
  'archive/{year}.html': html,
  'archive/{year}/index.html': html,
  'archive.html': html,
  'archive/index.html': html,
  'about.html': html,
  'about.md': markdown,
  'developers.html': html,
  'index.html': html,
  'api/schema.json': json,
  'api/openapi.json': json,
  'api/agents.json': json,
  'api/evals.json': json,
  'api/mcp/server-card': 'application/mcp-server-card+json',
  'server.json': json,
  'llms.txt': plain,
  'llms-full.txt': plain,
  'feed.xml': 'application/rss+xml; charset=utf-8',
  'atom.xml': atom,
  'feeds/{category}.xml': atom,
  'feed.json': 'application/feed+json',
  'search-index.json': json,
  '.well-known/agent-skills/index.json': json,
  'marketplace.json': json,
  'api/revisions.json': json,
  'sitemap.xml': 'application/xml; charset=utf-8',
  'robots.txt': plain,
  '.well-known/security.txt': plain,
  _headers: plain,
  '.nojekyll': plain,
} as const satisfies Record<string, string | ((path: string) => string)>;

/** The path of an output below dist/, with a placeholder such as `{slug}` for the part that differs. */
export type OutputPath = keyof typeof contentTypes;

const patterns = Object.entries(contentTypes).map(([path, type]) => ({ pattern: outputPattern(path), type }));

/** Matches the paths of an output's files. */
export function outputPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

/** The content type of a path below dist/, or undefined if no output has it. */
export function contentType(path: string): string | undefined {
  const type = patterns.find(({ pattern }) => pattern.test(path))?.type;
  return typeof type === 'function' ? type(path) : type;
}

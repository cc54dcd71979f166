import { extname } from 'node:path/posix';
import type { Settings } from '../../schema/settings.ts';
import { configTypes } from '../../schema/slugs.ts';

const html = 'text/html; charset=utf-8';
const plain = 'text/plain; charset=utf-8';
const markdown = 'text/markdown; charset=utf-8';
const json = 'application/json';
const zip = 'application/zip';
const atom = 'application/atom+xml; charset=utf-8';

const script = 'text/javascript; charset=utf-8';

/** The content types of assets by file extension, for all that pages can load or link to. All others are plain text. */
const assetTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: script,
  mjs: script,
  json,
  svg: 'image/svg+xml',
  jpg: 'image/jpeg',
  ico: 'image/x-icon',
  ...Object.fromEntries(['avif', 'gif', 'jpeg', 'png', 'webp'].map((type) => [type, `image/${type}`])),
  ...Object.fromEntries(['otf', 'ttf', 'woff', 'woff2'].map((type) => [type, `font/${type}`])),
  pdf: 'application/pdf',
  zip,
};

const assetType = (path: string) => assetTypes[extname(path).slice(1).toLowerCase()] ?? plain;
const configType = (path: string) => configTypes[extname(path).slice(1)] ?? plain;

/**
 * The content type of each output by its path, with a charset for text; a function if it depends on the file. It is apart
 * from the outputs, so that the server needs no code that renders.
 *
 * Outputs are written in this order: the files of agents before the lists that link to them, so that no list ever names a
 * missing file.
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

/** Matches the paths of an output's files. A `{folder}` can have folders inside. */
export function outputPattern(path: string): RegExp {
  const any = (part: string) => (part === '{folder}' ? '.+' : '[^/]+');
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, any)}$`);
}

/** The content type of a path below dist/, or undefined if no output has it. */
function contentType(path: string): string | undefined {
  const type = patterns.find(({ pattern }) => pattern.test(path))?.type;
  return typeof type === 'function' ? type(path) : type;
}

/** The Content-Security-Policy of emails, whose styles are inline, and which load nothing. */
export const mailSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

/**
 * The Content-Security-Policy of every page, for its `<meta>` and for a header. frame-ancestors is missing because it
 * is only valid in a header (CSP 3, section 3.3).
 */
export function contentSecurityPolicy({ runtimeUrl }: Pick<Settings, 'runtimeUrl'>): string {
  const server = runtimeUrl === null ? '' : ` ${new URL(runtimeUrl).origin}`;
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    // Rules for what to prefetch are in the pages. They run no code, and only this keyword allows them, nothing else.
    "script-src 'self' 'inline-speculation-rules'",
    `connect-src 'self'${server}`,
    `form-action 'self'${server}`,
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** The Content-Security-Policy of a file, as a header. */
export function securityPolicy(addresses: Pick<Settings, 'runtimeUrl'>, path: string): string {
  const policy = path.startsWith('mail/') ? mailSecurityPolicy : contentSecurityPolicy(addresses);
  return `${policy}; frame-ancestors 'none'`;
}

/**
 * The headers that restrict what browsers do with a file of a build, for the server and for static hosts that read
 * `_headers`.
 *
 * CORS allows every site to read all files, so the resource policy is `cross-origin`: images load anywhere, and
 * `same-origin` on pages would protect nothing.
 */
export function securityHeaders(
  addresses: Pick<Settings, 'baseUrl' | 'runtimeUrl'>,
  path: string,
): Record<string, string> {
  return {
    'Content-Security-Policy': securityPolicy(addresses, path),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    ...(hasOwnHttpsHost(addresses) ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}

/**
 * Whether the whole publication is at the root of HTTPS hosts. HSTS (RFC 6797) applies to a whole host, so the catalog
 * does not set it on a host that it may share with other sites.
 */
function hasOwnHttpsHost({ baseUrl, runtimeUrl }: Pick<Settings, 'baseUrl' | 'runtimeUrl'>): boolean {
  return [baseUrl, runtimeUrl ?? baseUrl].every((address) => {
    const { protocol, pathname } = new URL(address);
    return protocol === 'https:' && pathname === '/';
  });
}

/** How the files of a site are served. The server gets this as an argument, since it imports no renderer. */
export const siteRules = { contentType, securityHeaders };

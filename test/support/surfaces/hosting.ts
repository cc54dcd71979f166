import { publication } from '../rich-catalog.ts';

/** What the files for hosts and crawlers say, byte for byte. */

const { baseUrl: base, securityContact } = publication;
const text = 'text/plain; charset=utf-8';
const markdown = 'text/markdown; charset=utf-8';

/** The content types that a static host could not tell from the name of the file, in the order of the registry. */
const types: [path: string, type: string][] = [
  ['about.md', markdown],
  ['api/schema.json', 'application/json'],
  ['api/openapi.json', 'application/json'],
  ['api/agents.json', 'application/json'],
  ['api/evals.json', 'application/json'],
  ['api/mcp/server-card', 'application/mcp-server-card+json'],
  ['server.json', 'application/json'],
  ['llms.txt', text],
  ['llms-full.txt', text],
  ['feed.xml', 'application/rss+xml; charset=utf-8'],
  ['atom.xml', 'application/atom+xml; charset=utf-8'],
  ['feed.json', 'application/feed+json'],
  ['search-index.json', 'application/json'],
  ['.well-known/agent-skills/index.json', 'application/json'],
  ['marketplace.json', 'application/json'],
  ['api/revisions.json', 'application/json'],
  ['sitemap.xml', 'application/xml; charset=utf-8'],
  ['robots.txt', text],
  ['.well-known/security.txt', text],
  ['.nojekyll', text],
  ['feeds/*', 'application/atom+xml; charset=utf-8'],
  ['agents/*/prompt.txt', text],
  ['agents/*/sample-output.txt', text],
  ['agents/*/config.json', 'application/json'],
  ...['jsonc', 'yaml', 'yml', 'toml', 'ini', 'cfg', 'conf', 'properties', 'env', 'csv', 'txt'].map(
    (extension): [string, string] => [`agents/*/config.${extension}`, text],
  ),
  ['mail/*.txt', text],
  ['agents/*.md', markdown],
  ['.well-known/agent-skills/*.md', markdown],
];

export const hostFiles: Record<string, string> = {
  // No HSTS: the site has a path, so others may have the same host.
  _headers: `/base/*
  Content-Security-Policy: default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; script-src 'self' 'inline-speculation-rules'; connect-src 'self' https://runtime.example; form-action 'self' https://runtime.example; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'none'
  Cross-Origin-Opener-Policy: same-origin
  Cross-Origin-Resource-Policy: cross-origin
  Referrer-Policy: strict-origin-when-cross-origin
  X-Content-Type-Options: nosniff
  Access-Control-Allow-Origin: *
  Cache-Control: no-cache

/base/mail/*
  ! Content-Security-Policy
  Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'

${types.map(([path, type]) => `/base/${path}\n  Content-Type: ${type}\n`).join('\n')}`,
  '.nojekyll': '',
  'robots.txt': `User-agent: *\nAllow: /\n\nSitemap: ${base}/sitemap.xml\n`,
  // A year after the day of the newest agent.
  '.well-known/security.txt': `Contact: ${securityContact}\nExpires: 2027-03-01T15:00:00.000Z\nPreferred-Languages: en\nCanonical: ${base}/.well-known/security.txt\n`,
};

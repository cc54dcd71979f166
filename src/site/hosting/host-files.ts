import { dirname, join } from 'node:path/posix';
import Handlebars from 'handlebars/runtime.js';
import { addDays, zone } from '../../lib/calendar.ts';
import { configTypes } from '../../schema/slugs.ts';
import { listed, none, type Output, single } from '../output.ts';
import { listAddresses } from '../pages/lists.ts';
import { homeAgents } from '../pages/single-pages.ts';
import { assetVersion } from '../shared/page.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { contentTypes, type OutputPath, securityHeaders, securityPolicy } from './site-rules.ts';

/** Headers for hosts that read them from a file (Netlify, Cloudflare Pages): types, caching, security. */
const headers = single(
  '_headers',
  'Response headers for static hosts that read this file',
  ({ settings, url, outputs }) => {
    const rules = [
      rule(url.link('*'), {
        ...securityHeaders(settings, ''),
        'Cache-Control': 'no-cache',
      }),
      // Cloudflare Pages applies both policies unless `!` removes the first. Netlify ignores that line, and the later wins.
      rule(`${url.link('mail/*')}\n  ! Content-Security-Policy`, {
        'Content-Security-Policy': securityPolicy(settings, 'mail/'),
      }),
      ...outputs.flatMap(({ path, type }) =>
        type === null || path.includes('{') || path.endsWith('.html') || path.startsWith('_')
          ? []
          : [rule(url.link(path), { 'Content-Type': type })],
      ),
      rule(url.link('feeds/*'), { 'Content-Type': contentTypes['feeds/{category}.xml'] }),
      rule(url.link('agents/*/prompt.txt'), { 'Content-Type': contentTypes['agents/{slug}/prompt.txt'] }),
      rule(url.link('agents/*/sample-output.txt'), { 'Content-Type': contentTypes['agents/{slug}/sample-output.txt'] }),
      // Hosts join the values of all matching rules, so a path must match only one of these: *.md includes config.md.
      ...Object.entries(configTypes)
        .filter(([extension]) => extension !== 'md')
        .map(([extension, type]) => rule(url.link(`agents/*/config.${extension}`), { 'Content-Type': type })),
      rule(url.link('mail/*.txt'), { 'Content-Type': contentTypes['mail/{issue}.txt'] }),
      rule(url.link('agents/*.md'), { 'Content-Type': contentTypes['agents/{slug}.md'] }),
      rule(url.link('.well-known/agent-skills/*.md'), {
        'Content-Type': contentTypes['.well-known/agent-skills/{slug}/SKILL.md'],
      }),
    ];
    return rules.join('\n');
  },
  none,
);

/** Makes GitHub Pages serve all files, even those whose names start with a dot. */
const noJekyll = single('.nojekyll', 'Makes GitHub Pages serve every file', () => '', none);

/** Where to report a vulnerability (RFC 9116). It expires a year after the newest agent's date; without agents, in 2100. */
const securityContact: Output = {
  path: '.well-known/security.txt',
  purpose: 'Where to report a vulnerability, if the settings name a contact',
  *files({ settings, agents, url }) {
    const contact = settings.securityContact;
    if (contact === undefined) return;
    const path = '.well-known/security.txt';
    const render = () => {
      const last = agents[0]?.date ?? '2099-01-01';
      const expires = zone(settings.timezone).startOfDay(addDays(last, 365)).toISOString();
      return `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: ${settings.language}\nCanonical: ${url.absolute(path)}\n`;
    };
    yield { path, inputs: listed(agents.slice(0, 1)), render };
  },
};

function rule(path: string, headers: Record<string, string>): string {
  return `${path}\n${Object.entries(headers)
    .map(([name, value]) => `  ${name}: ${value}\n`)
    .join('')}`;
}

const robots = single(
  'robots.txt',
  'Lets crawlers fetch every file',
  ({ preview, url }) =>
    preview ? 'User-agent: *\nDisallow: /\n' : `User-agent: *\nAllow: /\n\nSitemap: ${url.absolute('sitemap.xml')}\n`,
  none,
);

/** Every page with its own address (sitemaps.org protocol 0.9). */
const sitemap = single(
  'sitemap.xml',
  'Every page, for search engines',
  (site) =>
    [
      '<?xml version="1.0" encoding="utf-8"?>',
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
      ...pagesOf(site).map(({ address, changed }) => {
        const lastmod = changed === undefined ? '' : `<lastmod>${changed}</lastmod>`;
        return `  <url><loc>${Handlebars.escapeExpression(address)}</loc>${lastmod}</url>`;
      }),
      '</urlset>',
      '',
    ].join('\n'),
  ({ agents }) => listed(agents),
);

function pagesOf(site: Site): { address: string; changed?: string | undefined }[] {
  const { url, agents } = site;
  return [
    { address: url.absolute(), changed: lastChange(homeAgents(site)) },
    ...agents.map(({ document, changedOn }) => ({ address: document.url, changed: changedOn })),
    ...[...listAddresses(site)].map(({ path, agents }) => ({
      address: url.absolute(path),
      changed: lastChange(agents),
    })),
    { address: url.absolute('about') },
    { address: url.absolute('developers') },
  ];
}

/** The day of the last change of the agents on a page; undefined without agents. */
function lastChange(agents: readonly PublishedAgent[]): string | undefined {
  const days = agents.map(({ changedOn }) => changedOn);
  return days.sort().at(-1);
}

/** Styles, scripts and the like, as in templates/assets. Pages add `?v=<hash>` to their addresses. */
function assetsAt(path: OutputPath, purpose: string): Output {
  const inFolder = path.includes('{folder}');
  return {
    path,
    purpose,
    *files({ assets }) {
      for (const [asset, bytes] of assets) {
        if (asset.split('/').length > 2 === inFolder) yield { path: asset, inputs: none(), render: () => bytes };
      }
    },
  };
}

/**
 * Adds versions to the addresses in stylesheets, as pages do: `url("fonts/a.woff2")` becomes
 * `url("fonts/a.woff2?v=<hash>")`, so that browsers can cache the file permanently.
 */
export function withVersions(assets: ReadonlyMap<string, Uint8Array>): Map<string, Uint8Array> {
  return new Map(
    [...assets].map(([path, bytes]) => [path, path.endsWith('.css') ? versioned(path, bytes, assets) : bytes]),
  );
}

function versioned(path: string, bytes: Uint8Array, assets: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const css = Buffer.from(bytes).toString('utf8');
  return Buffer.from(
    css.replace(/url\("([^":?#]+)"\)/g, (link, target: string) => {
      const used = assets.get(join(dirname(path), target));
      return used === undefined ? link : `url("${target}?v=${assetVersion(used)}")`;
    }),
  );
}

export const hostOutputs: readonly Output[] = [
  assetsAt('assets/{folder}/{file}', 'Fonts and other assets in folders'),
  assetsAt('assets/{file}', 'Styles, scripts and other assets'),
  sitemap,
  robots,
  securityContact,
  headers,
  noJekyll,
];

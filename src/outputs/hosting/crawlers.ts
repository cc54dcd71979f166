import Handlebars from 'handlebars/runtime.js';
import { listed, none, single } from '../output.ts';
import { archiveAddresses } from '../pages/archive.ts';
import { groupAddresses } from '../pages/groups.ts';
import { homeAgents } from '../pages/home.ts';
import type { PublishedAgent, Site } from '../site.ts';

/** Every page with its own address (sitemaps.org protocol 0.9). */
export const sitemap = single(
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

export const robots = single(
  'robots.txt',
  'Lets crawlers fetch every file',
  ({ preview, url }) =>
    [
      'User-agent: *',
      preview ? 'Disallow: /' : 'Allow: /',
      ...(preview ? [] : ['', `Sitemap: ${url.absolute('sitemap.xml')}`]),
      '',
    ].join('\n'),
  none,
);

function pagesOf(site: Site): { address: string; changed?: string | undefined }[] {
  const { url, agents } = site;
  return [
    { address: url.absolute(), changed: lastChange(homeAgents(site)) },
    ...agents.map(({ document, changedOn }) => ({ address: document.url, changed: changedOn })),
    ...[...archiveAddresses(site), ...groupAddresses(site)].map(({ path, agents }) => ({
      address: url.absolute(path),
      changed: lastChange(agents),
    })),
    { address: url.absolute('about') },
    { address: url.absolute('developers') },
  ];
}

/** The day of the last change of the agents on a page; undefined without agents. */
function lastChange(agents: readonly PublishedAgent[]): string | undefined {
  return agents
    .map(({ changedOn }) => changedOn)
    .sort()
    .at(-1);
}

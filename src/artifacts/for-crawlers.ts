import Handlebars from 'handlebars';
import { plain, single } from './artifact.ts';
import { listAddresses } from './list-pages.ts';
import type { Site } from './site.ts';

/** Every page with an address of its own (sitemaps.org protocol 0.9). */
export const sitemap = single(
  'sitemap.xml',
  'application/xml; charset=utf-8',
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
);

export const robots = single('robots.txt', plain, 'What crawlers may fetch: everything', ({ preview, url }) =>
  [
    'User-agent: *',
    preview ? 'Disallow: /' : 'Allow: /',
    ...(preview ? [] : ['', `Sitemap: ${url.absolute('sitemap.xml')}`]),
    '',
  ].join('\n'),
);

function pagesOf(site: Site): { address: string; changed?: string | undefined }[] {
  const { url, agents } = site;
  return [
    { address: url.absolute(), changed: agents[0]?.date },
    ...agents.map(({ document }) => ({ address: document.url, changed: document.date })),
    ...[...listAddresses(site)].map(({ path, changed }) => ({ address: url.absolute(path), changed })),
    { address: url.absolute('about') },
    { address: url.absolute('developers') },
  ];
}

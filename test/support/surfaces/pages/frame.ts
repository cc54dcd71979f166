import { createHash } from 'node:crypto';
import { publication } from '../../rich-catalog.ts';
import { base } from '../known.ts';
import type { Expected } from '../reader.ts';

const { title: name, tagline, publisher, repository } = publication;

/** The texts of a page that it has in common with all others. */
export interface Frame {
  title: string;
  /** In the title bar, before the publication; by default the title. */
  bar?: string;
  description: string;
  /** The path below the base URL; null if the page has no address. */
  path: string | null;
  picture?: string;
  pictureShows?: string;
  kind?: 'article' | 'website';
  current?: string;
  fonts?: string[];
  accent?: string;
  noindex?: boolean;
  /** Whether it has data for search engines; by default if search engines may list it. */
  data?: boolean;
}

/** The address of an asset with the hash of its bytes, as pages write it. */
const asset = (files: ReadonlyMap<string, Buffer>, path: string) =>
  `/base/${path}?v=${createHash('sha256')
    .update(files.get(path) ?? '')
    .digest('hex')
    .slice(0, 12)}`;

function frame(files: ReadonlyMap<string, Buffer>, page: Frame): Expected {
  const { title, path, kind = 'website', current = [], fonts = [], noindex = false, data = !noindex } = page;
  const picture = page.picture ?? 'og/catalog.png';
  const preloaded = ['besley-basic', 'libre-franklin-basic', ...fonts].map((font) => `assets/fonts/${font}.woff2`);
  return {
    'html @lang': 'en',
    'meta[charset] @charset': 'utf-8',
    // The addresses of the pages that emails link to contain a token.
    'meta[name=referrer] @content': path === null ? 'strict-origin' : 'strict-origin-when-cross-origin',
    'meta[name=viewport] @content': 'width=device-width, initial-scale=1',
    'meta[name=color-scheme] @content': 'light dark',
    'meta[name=theme-color] @media': ['(prefers-color-scheme: light)', '(prefers-color-scheme: dark)'],
    'meta[http-equiv="Content-Security-Policy"] @content':
      "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; script-src 'self' 'inline-speculation-rules'; connect-src 'self' https://runtime.example; form-action 'self' https://runtime.example; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    title: page.bar ?? `${title} · ${name}`,
    'meta[name=description] @content': page.description,
    // Otherwise, reading modes take number, date and category of a related agent for the author.
    'meta[name=author] @content': publisher.name,
    'link[rel=preload] @href': preloaded.map((font) => asset(files, font)),
    // A browser loads a font a second time if its preload lacks one of these.
    'link[rel=preload][as=font][type="font/woff2"] @crossorigin': preloaded.map(() => ''),
    'link[rel=stylesheet] @href': asset(files, 'assets/style.css'),
    'link[rel=icon] @href': asset(files, 'assets/favicon.svg'),
    'link[rel=icon] @type': 'image/svg+xml',
    'script[type=module] @src': asset(files, 'assets/site.js'),
    // A page that waits for its script is blank while the script is on its way.
    'script[type=module] @blocking': [],
    'script[type="application/ld+json"] @type': data ? ['application/ld+json'] : [],
    'meta[http-equiv=refresh] @content': [],
    'meta[name=robots] @content': noindex ? ['noindex'] : [],
    'link[rel=canonical] @href': path === null ? [] : [`${base}/${path}`],
    'meta[property="og:url"] @content': path === null ? [] : [`${base}/${path}`],
    'meta[property="og:type"] @content': kind,
    'meta[property="og:site_name"] @content': name,
    'meta[property="og:title"] @content': title,
    'meta[property="og:description"] @content': page.description,
    'meta[property="og:image"] @content': `${base}/${picture}`,
    'meta[property="og:image:type"] @content': 'image/png',
    'meta[property="og:image:width"] @content': '1200',
    'meta[property="og:image:height"] @content': '630',
    'meta[name="twitter:card"] @content': 'summary_large_image',
    'meta[property="og:image:alt"] @content': page.pictureShows ?? `${name}: ${tagline}`,
    'link[rel=alternate][type="application/atom+xml"] @title': `${name} (Atom)`,
    'link[rel=alternate][type="application/atom+xml"] @href': '/base/atom.xml',
    'link[rel=alternate][type="application/rss+xml"] @title': `${name} (RSS)`,
    'link[rel=alternate][type="application/rss+xml"] @href': '/base/feed.xml',
    'link[rel=alternate][type="application/feed+json"] @title': `${name} (JSON Feed)`,
    'link[rel=alternate][type="application/feed+json"] @href': '/base/feed.json',
    'body @data-accent': page.accent ?? [],
    '.preview': [],
    '.skip @href': '#content',
    'main @id': 'content',
    '.nameplate': name,
    '.nameplate a @href': '/base/',
    '.nameplate svg @viewBox': '0 0 32 32',
    '.main-navigation a': ['Today', 'Archive', 'About', 'Developers'],
    '.main-navigation a @href': ['/base/', '/base/archive', '/base/about', '/base/developers'],
    '.main-navigation a[aria-current=page]': current,
    '.masthead .search @action': '/base/archive',
    'footer.colophon .colophon-columns p': [
      `${name}${tagline}Published by ${publisher.name}`,
      'Every prompt is free to reuse under CC BY 4.0: name the publisher, and link to the agent.',
      'Subscribe, or follow with a feed reader. For developers: API and MCP, llms.txt. Do you have a prompt that helps? Propose an agent.',
    ],
    'footer.colophon .colophon-columns a @href': [
      publisher.url,
      'https://creativecommons.org/licenses/by/4.0/',
      ...['/base/#follow', '/base/atom.xml', '/base/developers', '/base/llms.txt'],
      `${repository}/issues/new?template=propose-an-agent.yml`,
    ],
    'form.search label @for': 'search',
    'form.search @id': 'find',
    'form.search input @aria-controls': 'suggestions',
    'form.search .search-panel div @id': 'suggestions',
    'form.search input @id': 'search',
    'form.search @data-script': asset(files, 'assets/search.js'),
    'form.search @data-index': '/base/search-index.json',
    'form.search @data-agents': '/base/agents',
  };
}

/** Adds what all pages have in common to what one page says. */
export type Page = (settings: Frame, own: Expected) => Expected;

/** Returns this function for a build with these files, whose hashes are in the addresses of assets. */
export const pageWith =
  (files: ReadonlyMap<string, Buffer>): Page =>
  (settings, own) => ({ ...frame(files, settings), ...own });

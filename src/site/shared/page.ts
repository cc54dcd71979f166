import type { HelperDeclareSpec } from 'handlebars';
import Handlebars from 'handlebars/runtime.js';
import { sha256Of } from '../../lib/files.ts';
import { maxEmail } from '../../schema/fields.ts';
import { maxVoteNote } from '../../schema/requests.ts';
import type { Settings } from '../../schema/settings.ts';
import { inlineParts } from '../../text/markdown-text.ts';
import { contentSecurityPolicy } from '../hosting/site-rules.ts';
import { type Addresses, dateNames, type PublishedAgent, publicationImage, type Site } from '../site.ts';

/** The values of a page for the layout. */
interface PageHead {
  /** The name of its template. */
  template: string;
  /** The title in the browser's title bar, before the name of the publication. Null for the home page. */
  title: string | null;
  description: string;
  /** Its path below the base URL, or null if it has no address (the 404 page). */
  path: string | null;
  /** Whether the page says when the next agent comes. It is then an input of the page. */
  saysNext?: boolean;
  /** Whether the page only redirects to `path`. */
  moved?: boolean;
  /** Whether the page lists the results of a search in its address. The bundled templates no longer ask. */
  ownSearch?: boolean;
  /** Whether the page shows prompts or commands, whose font it then preloads. */
  plates?: boolean;
  /** The same content in other formats. */
  alternates?: readonly { type: string; href: string; title: string }[];
  /** The category whose color the page has. */
  category?: string;
  /** The entry of the main navigation that the page belongs to. */
  section?: Section;
  /** schema.org nodes that describe the page to search engines. */
  graph?: readonly object[];
  /** The social image, with its alternative text. @default the image of the publication */
  image?: { path: string; text: string };
}

type Section = 'today' | 'archive' | 'about' | 'developers';

/** Limits of the forms, which are the limits of their requests. */
const limits = { voteNote: maxVoteNote, email: maxEmail };

/** Renders an HTML page: `data` with the page's template, then the result within the layout. */
export function renderPage(site: Site, head: PageHead, data: object): string {
  const { settings, templates, url } = site;
  const { repository = null } = settings;
  const formVersion = templates.version('partials/subscribe');
  const https = settings.baseUrl.startsWith('https:');
  const shared = { settings, https, preview: site.preview, api: url.serverApi, limits, repository, formVersion };
  const image = head.image ?? { path: publicationImage, text: `${settings.title}: ${settings.tagline}` };
  const body = templates.render(head.template, Object.assign({}, shared, data));
  const values = {
    title: head.title === null ? settings.title : `${head.title} · ${settings.title}`,
    heading: head.title ?? settings.title,
    direction: site.direction,
    ownSearch: head.ownSearch === true,
    plates: head.plates === true,
    next: head.saysNext === true ? site.next : null,
    moved: head.moved === true ? url.link(head.path ?? '') : null,
    canonical: head.path === null ? null : url.absolute(head.path),
    kind: head.template === 'agent' ? 'article' : 'website',
    socialImage: url.absolute(image.path),
    socialImageText: image.text,
    alternates: head.alternates ?? [],
    accentNumber: head.category === undefined ? null : accentOf(settings, head.category),
    navigation: navigation.map(({ section, label, path }) => ({ label, path, current: section === head.section })),
    structuredData: structuredData(head.graph ?? []),
    contentSecurityPolicy: contentSecurityPolicy(settings),
    indexed: head.path !== null && !site.preview && head.moved !== true,
    body,
  };
  return templates.render('layout', Object.assign({}, shared, head, values));
}

const navigation: readonly { section: Section; label: string; path: string }[] = [
  { section: 'today', label: 'Today', path: '' },
  { section: 'archive', label: 'Archive', path: 'archive' },
  { section: 'about', label: 'About', path: 'about' },
  { section: 'developers', label: 'Developers', path: 'developers' },
];

/** The functions that templates can call (docs/templates.md describes them). */
export function templateHelpers(
  settings: Settings,
  url: Addresses,
  assets: ReadonlyMap<string, Uint8Array>,
): HelperDeclareSpec {
  const versions = new Map([...assets].map(([path, bytes]) => [path, assetVersion(bytes)]));
  return {
    link: (path: string) => url.link(path),
    // A name may contain spaces and other characters that an address does not have.
    asset: (path: string) => {
      if (!versions.has(path)) throw new Error(`there is no file templates/${path}`);
      const address = path.split('/').map(encodeURIComponent).join('/');
      return `${url.link(address)}?v=${versions.get(path)}`;
    },
    path: (...parts: unknown[]) => parts.slice(0, -1).join('/'),
    ...dateNames(settings.language),
    accent: (category: string) => accentOf(settings, category),
    digits: (issue: number) => String(issue).length,
    ordinal: (index: number) => index + 1,
    join: (texts: string[]) => texts.join(', '),
    preformatted: (text: string) => (/^[^\n]{241}/m.test(text) ? 'wrapped' : 'preformatted'),
    numbered: (text: string) => new Handlebars.SafeString(withLineNumbers(text)),
    withCode: (text: string) => {
      const html = inlineParts(text).map((part) => {
        const escaped = Handlebars.escapeExpression(part.text);
        return part.code ? `<code>${escaped}</code>` : escaped;
      });
      return new Handlebars.SafeString(html.join(''));
    },
  };
}

/** Escapes a text, and marks the numbers that its lines start with, if these rise: they stay in view when it scrolls. */
function withLineNumbers(text: string): string {
  const pattern = /^ {0,3}L?(\d{1,5})[.)]?(?=[ |]|$)/gm;
  const numbers = [...text.matchAll(pattern)].map(([, digits]) => Number(digits));
  const rise = numbers.length > 2 && numbers.every((number, at) => number === 1 || number > (numbers[at - 1] ?? -1));
  const html = Handlebars.escapeExpression(text);
  return rise ? html.replace(pattern, '<span class="line-number">$&</span>') : html;
}

/** The `v` in an asset's address. It changes with the bytes, so that the address can be cached permanently. */
export function assetVersion(bytes: Uint8Array): string {
  return sha256Of(bytes).slice(0, 12);
}

/** Describes pages to search engines, as JSON-LD with the vocabulary of schema.org. */

/**
 * Renders nodes as the text of a `<script type="application/ld+json">`, which the Content-Security-Policy allows since
 * it is data. Null without nodes. No text in it can end the element.
 */
function structuredData(nodes: readonly object[]): string | null {
  if (nodes.length === 0) return null;
  return JSON.stringify({ '@context': 'https://schema.org', '@graph': nodes }).replaceAll('<', '\\u003c');
}

/** Describes the list on a page, newest first. All its pages have `total` agents, and earlier pages have `before`. */
export function listNode(
  { url }: Site,
  path: string,
  agents: readonly PublishedAgent[],
  { total = agents.length, before = 0 }: { total?: number; before?: number } = {},
): object {
  return {
    '@type': 'ItemList',
    '@id': `${url.absolute(path)}#agents`,
    url: url.absolute(path),
    numberOfItems: total,
    itemListOrder: 'https://schema.org/ItemListOrderDescending',
    itemListElement: agents.map(({ document }, index) => ({
      '@type': 'ListItem',
      position: before + index + 1,
      name: document.title,
      url: document.url,
    })),
  };
}

/** Describes the path from the home page to a page, including both. */
export function breadcrumbNode({ settings, url }: Site, way: readonly { name: string; path: string }[]): object {
  return {
    '@type': 'BreadcrumbList',
    itemListElement: [{ name: settings.title, path: '' }, ...way].map(({ name, path }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item: url.absolute(path),
    })),
  };
}

/** Describes the publisher. */
export function publisherNode({ publisher }: Site['settings']): object {
  return { '@type': 'Organization', name: publisher.name, url: publisher.url };
}

/** The id of the publication's node. */
export function websiteId(url: Site['url']): string {
  return `${url.absolute()}#website`;
}

/** The accent colors on a light background, as in the stylesheet: `[data-accent="1"]` and so on. */
export const accentColors = [
  '#a6331b',
  '#1f5096',
  '#1f633b',
  '#7f2c6c',
  '#7a5200',
  '#0c6166',
  '#4b40a6',
  '#79442a',
  '#55600f',
  '#9b2046',
] as const;

/**
 * The number of a category's accent color, from 1, by its position in the settings: any categories get colors. After
 * the last color, they start again. An unknown category has the first.
 */
export function accentOf({ categories }: Pick<Settings, 'categories'>, category: string): number {
  return (Math.max(0, Object.keys(categories).indexOf(category)) % accentColors.length) + 1;
}

/** The accent color of a category, for images, which have no stylesheet. */
export function accentColor(settings: Pick<Settings, 'categories'>, category: string): string {
  return accentColors[accentOf(settings, category) - 1] ?? accentColors[0];
}

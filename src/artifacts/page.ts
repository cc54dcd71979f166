import { createHash } from 'node:crypto';
import type { HelperDeclareSpec } from 'handlebars';
import { maxLength } from '../schema/json-schema.ts';
import { feedbackRequest } from '../schema/requests.ts';
import type { Settings } from '../schema/settings.ts';
import type { Site } from './site.ts';
import type { Addresses } from './urls.ts';

/** What a page tells the layout about itself. */
export interface PageHead {
  /** The name of its template. */
  template: string;
  /** What stands in the browser's title bar, before the name of the publication. Null for the home page. */
  title: string | null;
  description: string;
  /** Its path below the base URL, or null where it has no address of its own (the 404 page). */
  path: string | null;
  /** Whether the page only leads to `path`, where the content is now. */
  moved?: boolean;
  /** Whether the page has a search of its own, so that the masthead needs none. */
  ownSearch?: boolean;
  /** Other forms of the same content. */
  alternates?: readonly { type: string; href: string; title: string }[];
}

/** What forms hold readers to, from the schemas of what they send. */
const limits = { voteNote: maxLength(feedbackRequest, 'note') };

/** Renders a whole HTML page: `data` with the page's template, then that within the layout. */
export function renderPage(site: Site, head: PageHead, data: object): string {
  const { settings, templates, url } = site;
  const shared = { settings, preview: site.preview, api: url.runtimeApi, limits };
  const body = templates.render(head.template, { ...shared, ...data });
  return templates.render('layout', {
    ...shared,
    ...head,
    title: head.title === null ? settings.title : `${head.title} · ${settings.title}`,
    ownSearch: head.ownSearch === true,
    moved: head.moved === true ? url.link(head.path ?? '') : null,
    canonical: head.path === null ? null : url.absolute(head.path),
    alternates: head.alternates ?? [],
    contentSecurityPolicy: contentSecurityPolicy(settings),
    indexed: head.path !== null && !site.preview && head.moved !== true,
    body,
  });
}

/**
 * The Content-Security-Policy of every page, for its `<meta>` and for a header.
 *
 * Without frame-ancestors, which only a header may carry (CSP 3, section 3.3).
 */
export function contentSecurityPolicy({ runtimeUrl }: Pick<Settings, 'runtimeUrl'>): string {
  const runtime = runtimeUrl === null ? '' : ` ${new URL(runtimeUrl).origin}`;
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "script-src 'self'",
    `connect-src 'self'${runtime}`,
    `form-action 'self'${runtime}`,
    "base-uri 'none'",
  ].join('; ');
}

/** What templates can call: `link` and `asset` make links, `path` joins their parts, `longDate` and `monthName` write days and months out, `join` lists texts. */
export function templateHelpers(
  settings: Settings,
  url: Addresses,
  assets: ReadonlyMap<string, Uint8Array>,
): HelperDeclareSpec {
  const dates = new Intl.DateTimeFormat(settings.language, { dateStyle: 'long', timeZone: 'UTC' });
  const months = new Intl.DateTimeFormat(settings.language, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const versions = new Map([...assets].map(([path, bytes]) => [path, assetVersion(bytes)]));
  return {
    link: (path: string) => url.link(path),
    asset: (path: string) => `${url.link(path)}?v=${versions.get(path) ?? ''}`,
    monthName: (month: string) => months.format(new Date(`${month}-01T00:00:00Z`)),
    path: (...parts: unknown[]) => parts.slice(0, -1).join('/'),
    longDate: (day: string) => dates.format(new Date(`${day}T00:00:00Z`)),
    join: (texts: string[]) => texts.join(', '),
  };
}

/** The `v` of an asset's address: it changes with the bytes, so that the address may be cached for ever. */
export function assetVersion(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 12);
}

import { createHash } from 'node:crypto';
import type { HelperDeclareSpec } from 'handlebars';
import Handlebars from 'handlebars/runtime.js';
import { maxEmail } from '../../schema/fields.ts';
import { maxVoteNote } from '../../schema/requests.ts';
import type { Settings } from '../../schema/settings.ts';
import type { Site } from '../site.ts';
import { accentOf } from './accents.ts';
import { contentSecurityPolicy } from './content-security-policy.ts';
import { dateNames } from './dates.ts';
import { structuredData } from './structured-data.ts';
import { type Addresses, publicationImage } from './urls.ts';

/** The values of a page for the layout. */
export interface PageHead {
  /** The name of its template. */
  template: string;
  /** The title in the browser's title bar, before the name of the publication. Null for the home page. */
  title: string | null;
  description: string;
  /** Its path below the base URL, or null if it has no address (the 404 page). */
  path: string | null;
  /** Whether the page only redirects to `path`. */
  moved?: boolean;
  /** Whether the page has its own search, so that the footer needs none. */
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
  /** The social image, with its alternative text. @default that of the publication */
  image?: { path: string; text: string };
}

type Section = 'today' | 'archive' | 'about' | 'developers';

/** Limits of the forms, which are those of their requests. */
const limits = { voteNote: maxVoteNote, email: maxEmail };

/** Renders an HTML page: `data` with the page's template, then the result within the layout. */
export function renderPage(site: Site, head: PageHead, data: object): string {
  const { settings, templates, url } = site;
  const { repository = null } = settings;
  const formVersion = templates.version('partials/subscribe');
  const shared = { settings, preview: site.preview, api: url.serverApi, limits, repository, formVersion };
  const image = head.image ?? { path: publicationImage, text: `${settings.title}: ${settings.tagline}` };
  const body = templates.render(head.template, Object.assign({}, shared, data));
  const values = {
    title: head.title === null ? settings.title : `${head.title} · ${settings.title}`,
    heading: head.title ?? settings.title,
    direction: site.direction,
    ownSearch: head.ownSearch === true,
    plates: head.plates === true,
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
    asset: (path: string) => `${url.link(path)}?v=${versions.get(path) ?? ''}`,
    path: (...parts: unknown[]) => parts.slice(0, -1).join('/'),
    ...dateNames(settings.language),
    accent: (category: string) => accentOf(settings, category),
    digits: (issue: number) => String(issue).length,
    ordinal: (index: number) => index + 1,
    join: (texts: string[]) => texts.join(', '),
    withCode: (text: string) =>
      new Handlebars.SafeString(Handlebars.escapeExpression(text).replace(/&#x60;(.+?)&#x60;/g, '<code>$1</code>')),
  };
}

/** The `v` in an asset's address. It changes with the bytes, so that the address can be cached permanently. */
export function assetVersion(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 12);
}

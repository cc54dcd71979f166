import { onceForEach } from '../lib/lazy.ts';
import type { Change, NumberedAgent } from '../schema/agent.ts';
import type { AgentDocument, PublishedPlugins } from '../schema/documents.ts';
import type { Settings } from '../schema/settings.ts';
import type { InstallWays } from '../text/install-ways.ts';
import type { markdownRenderer } from './shared/markdown-html.ts';
import type { compileTemplates } from './shared/templates.ts';
import type { ImageRenderer } from './social-image/renderer.ts';

/** The input of all outputs. The same site always renders the same bytes. */
export interface Site {
  settings: Settings;
  url: Addresses;
  /** Newest first: by date, then by issue number, both descending. */
  agents: readonly PublishedAgent[];
  /** The next scheduled agent, as far as the settings allow pages to mention it; null if there is none. */
  next: NextAgent | null;
  /** Former slug → slug of the agent that had it. */
  moved: ReadonlyMap<string, string>;
  /** The slugs of withdrawn agents, also former ones. */
  withdrawn: readonly string[];
  /** Slug, also a former one → changes, newest first; empty without git. */
  history: ReadonlyMap<string, readonly Change[]>;
  /** The plugins that were published before, and the versions of those that are published now. */
  published: PublishedPlugins;
  plugins: PluginVersions;
  installWays: InstallWays;
  templates: ReturnType<typeof compileTemplates>;
  /** Files that are published unchanged, by their path below dist/. */
  assets: ReadonlyMap<string, Uint8Array>;
  markdown: ReturnType<typeof markdownRenderer>;
  /** Writes out days and months. */
  dates: ReturnType<typeof dateNames>;
  /** The direction in which the language of the agents is written. */
  direction: 'ltr' | 'rtl';
  images: ImageRenderer;
  /** The related agents of each. */
  related: Related;
  /** The outputs of the site, for the pages that list them. */
  outputs: readonly OutputDescription[];
  /** Whether templates may show any field of an agent in a list, as the catalog's own may. */
  listsShowAll: boolean;
  /** Whether it has drafts or future agents. Its pages then say so, and ask not to be indexed. */
  preview: boolean;
}

/** The facts that pages show about the next agent. */
export interface NextAgent {
  /** YYYY-MM-DD. */
  date: string;
  /** When it is published (RFC 3339). */
  from: string;
  /** Its category or title, or null. */
  name: string | null;
}

/** Which agents are related. */
export interface Related {
  /** A hash of what decides it. */
  key: string;
  /** The slugs of the related agents of each agent, best first, in the order of the agents. */
  slugs: readonly (readonly string[])[];
}

/** An output as pages and docs list it. */
interface OutputDescription {
  path: string;
  /** The content type; null for a family of several types. */
  type: string | null;
  purpose: string;
}

/** The document of an agent without its long texts. */
type ListedDocument = Omit<AgentDocument, 'howItWorks' | 'demo' | 'sampleInput' | 'prompt' | 'config'>;

/** An agent with the part of its document that lists show, and its dates. */
export interface PublishedAgent extends NumberedAgent {
  document: ListedDocument;
  /** The start of its date in the publication's time zone. */
  published: Date;
  /** The time of its last change since then. @default published */
  changed: Date;
  /** The day of `changed` in the publication's time zone, YYYY-MM-DD. */
  changedOn: string;
  /** How many commits changed it, also under former slugs. */
  revision: number;
  /** Its changes, also under former slugs, newest first, each with its day in that time zone; empty without git. */
  history: readonly (Change & { day: string })[];
  /** Hashes by which a build knows what it need not render again. */
  fingerprint: {
    /** Changes with any byte of the agent. */
    whole: string;
    /** Changes with what lists, neighbors and the search show of it: everything but its long texts. */
    listed: string;
  };
}

/** Makes functions that write out days (YYYY-MM-DD) and months (YYYY-MM) in a language (BCP 47). */
export const dateNames = onceForEach((language: string) => {
  // For a language that it does not know, such as Latin, Intl would use the one of the machine.
  const locales = [language, 'en'];
  const weekdays = new Intl.DateTimeFormat(locales, { weekday: 'long', timeZone: 'UTC' });
  const dates = new Intl.DateTimeFormat(locales, { dateStyle: 'long', timeZone: 'UTC' });
  // The archive has the months of the Gregorian calendar, also in Persian; the Thai one only counts the years differently.
  const calendar = dates.resolvedOptions().calendar === 'buddhist' ? 'buddhist' : 'gregory';
  const months = new Intl.DateTimeFormat(locales, { month: 'long', year: 'numeric', timeZone: 'UTC', calendar });
  return {
    weekday: onceForEach((day: string) => weekdays.format(new Date(day))),
    longDate: onceForEach((day: string) => dates.format(new Date(day))),
    dayOfMonth: (day: string) => String(Number(day.slice(8))),
    monthName: onceForEach((month: string) => months.format(new Date(month))),
  };
});

/** The versions that the last build gave to plugins, with what decided each. */
export type KnownVersions = readonly (readonly [name: string, key: string, version: string])[];

/** The version of each agent's plugin. */
interface PluginVersions {
  of(agent: PublishedAgent): string;
  /** The versions that the next build can use. */
  readonly known: KnownVersions;
}

/** The path of an agent's social image. */
export function agentImage(slug: string): string {
  return `og/${slug}.png`;
}

/** The social image of all other pages. No agent can have the slug `catalog`. */
export const publicationImage = agentImage('catalog');

/**
 * Returns the changes of an agent under all of its names, newest first. Under a former name, the last one is the commit that
 * renamed the agent: a later folder with that name is another one.
 */
export function changesOf({ slug, formerSlugs }: NumberedAgent, history: Site['history']): Change[] {
  const names = [slug, ...(formerSlugs ?? [])];
  const under = (name: string) => history.get(name) ?? [];
  const renames = ({ commit }: Change, from: string) =>
    names.some((to) => to !== from && under(to).some((change) => change.whole && change.commit === commit));
  const ofAgent = names.map((name) => {
    const last = name === slug ? 0 : under(name).findIndex((change) => renames(change, name));
    return under(name).slice(Math.max(0, last));
  });
  return ofAgent.flat().sort((a, b) => b.time - a.time);
}

/** Makes addresses: absolute ones for feeds, the API and canonical links, paths for links within pages. */
export type Addresses = ReturnType<typeof addresses>;

export function addresses({ baseUrl, runtimeUrl }: Pick<Settings, 'baseUrl' | 'runtimeUrl'>) {
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '');
  const absolute = (path = '') => `${baseUrl}/${path}`;
  return {
    /** The absolute address of a path below the base URL, such as `feed.xml`. @default the home page */
    absolute,
    /** The link to a path from any page, such as `/repo/archive`. */
    link: (path = '') => `${basePath}/${path}`,
    agent: (slug: string) => absolute(`agents/${slug}`),
    api: (slug: string) => absolute(`api/agents/${slug}.json`),
    prompt: (slug: string) => absolute(`agents/${slug}/prompt.txt`),
    config: (slug: string, file: string) => absolute(`agents/${slug}/${file}`),
    /**
     * The start of the addresses that forms send to, or null without a server. It is a path if the server has the origin
     * of the base URL, so that forms work wherever the pages are served.
     */
    serverApi: runtimeUrl === null ? null : `${sameOrigin(runtimeUrl, baseUrl)}/api`,
  };
}

/** Removes the origin of an address if `base` has the same one. Neither ends with a slash. */
function sameOrigin(address: string, base: string): string {
  const { origin, pathname } = new URL(address);
  return origin === new URL(base).origin ? pathname.replace(/\/$/, '') : address;
}

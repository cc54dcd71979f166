import { type InstallWays, installWays } from '../agent-text/install-ways.ts';
import { type Zone, zone } from '../calendar.ts';
import { compareText } from '../compare.ts';
import { digestOf } from '../digest.ts';
import { once, onceForEach } from '../once.ts';
import { type Change, headOf, type NumberedAgent } from '../schema/agent.ts';
import type { AgentDocument } from '../schema/documents.ts';
import type { PublishedPlugins } from '../schema/plugins.ts';
import type { Settings } from '../schema/settings.ts';
import type { ImageRenderer } from '../social-image/renderer.ts';
import { installSource } from './install/install-source.ts';
import { type KnownVersions, PluginVersions } from './install/plugins.ts';
import { agentDocumentOf } from './shared/agent-document.ts';
import { relatedAgents } from './shared/groups.ts';
import { type MarkdownRenderer, markdownRenderer } from './shared/markdown-html.ts';
import type { Templates } from './shared/templates.ts';
import { type Addresses, addresses } from './shared/urls.ts';

/** The input of all outputs. The same site always renders the same bytes. */
export interface Site {
  settings: Settings;
  url: Addresses;
  /** Newest first: by date, then by issue number, both descending. */
  agents: readonly PublishedAgent[];
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
  templates: Templates;
  /** Files that are published unchanged, by their path below dist/. */
  assets: ReadonlyMap<string, Uint8Array>;
  markdown: MarkdownRenderer;
  /** Writes out days and months. */
  dates: DateNames;
  /** The direction in which the language of the agents is written. */
  direction: 'ltr' | 'rtl';
  images: ImageRenderer;
  /** The related agents of each. */
  related: Related;
  /** The outputs of the site, for the pages that list them. */
  outputs: readonly OutputDescription[];
  /** Whether it has drafts or future agents. Its pages then say so, and ask not to be indexed. */
  preview: boolean;
}

/** Hashes of an agent, by which a build knows what it need not render again. */
interface Fingerprint {
  /** Changes with any byte of the agent. */
  whole: string;
  /** Changes with what lists, neighbors and the search show of it: everything but its long texts. */
  listed: string;
}

/** Which agents are related. */
export interface Related {
  /** A hash of what decides it. */
  key: string;
  /** The slugs of the related agents of each agent, best first, in the order of the agents. */
  slugs: readonly (readonly string[])[];
}

/** An output as pages and docs list it. */
export interface OutputDescription {
  path: string;
  /** The content type; null for a family of several types. */
  type: string | null;
  purpose: string;
}

/** An agent with its published document and its dates. */
export interface PublishedAgent extends NumberedAgent {
  document: AgentDocument;
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
  fingerprint: Fingerprint;
}

interface SiteInput
  extends Omit<Site, 'url' | 'agents' | 'markdown' | 'dates' | 'direction' | 'related' | 'plugins' | 'installWays'> {
  /** In any order. */
  agents: readonly NumberedAgent[];
  /** Whether templates may show any field in a list, as the catalog's own may. */
  listsShowAll: boolean;
  /** Which agents were related in the last build; null if that is not known. */
  related: Related | null;
  /** The versions of plugins in the last build. */
  knownVersions: KnownVersions;
}

/** How many related agents a page links to. */
const relatedCount = 3;

/** Makes a site of numbered agents. */
export function makeSite({ agents, listsShowAll, related, knownVersions, ...input }: SiteInput): Site {
  const ordered = [...agents].sort((a, b) => compareText(b.date, a.date) || b.issue - a.issue);
  const published = ordered.map(publisherOf(input.settings, input.history, listsShowAll));
  const url = addresses(input.settings);
  return {
    ...input,
    url,
    agents: published,
    markdown: markdownRenderer(url),
    dates: dateNames(input.settings.language),
    direction: directionOf(input.settings.language),
    related: relatedOf(published, related),
    plugins: new PluginVersions(input, input.published, knownVersions),
    installWays: installWays(installSource(input.settings)),
  };
}

/**
 * Returns a site with other texts of some agents, by their position, whose numbers and dates are the same as before. It
 * costs little, since no relation between agents is looked for again.
 */
export function withTexts(
  site: Site,
  changed: ReadonlyMap<number, NumberedAgent>,
  { history, listsShowAll }: Pick<SiteInput, 'history' | 'listsShowAll'>,
): Site {
  const publish = publisherOf(site.settings, history, listsShowAll);
  const agents = [...site.agents];
  for (const [position, agent] of changed) agents[position] = publish(agent);
  return {
    ...site,
    agents,
    plugins: new PluginVersions(site, site.published, site.plugins.known),
  };
}

function relatedOf(agents: readonly PublishedAgent[], before: Related | null): Related {
  const key = digestOf(agents.map(({ fingerprint }) => fingerprint.listed).join());
  if (before?.key === key) return before;
  const relatedTo = relatedAgents(agents, relatedCount);
  return { key, slugs: agents.map((_, index) => relatedTo(index).map(({ slug }) => slug)) };
}

/**
 * Returns a function that adds to an agent what a site shows of it. `listsShowAll` is whether templates may show any field
 * in a list.
 */
function publisherOf(
  settings: Settings,
  history: SiteInput['history'],
  listsShowAll: boolean,
): (agent: NumberedAgent) => PublishedAgent {
  const url = addresses(settings);
  const calendar = zone(settings.timezone);
  return (agent) => {
    const changes = changesOf(agent, history);
    const document = once(() => agentDocumentOf(agent, settings, url));
    const dates = once(() => datesOf(agent.date, changes, calendar));
    const fingerprint = fingerprintOf(agent, changes, listsShowAll);
    const { issue, isRecalled } = agent;
    const known = { issue, fingerprint, revision: changes.length, ...(isRecalled === true && { isRecalled }) };
    return Object.assign(new LaterFields(agent, document, dates), headOf(agent), known);
  };
}

type Dates = Pick<PublishedAgent, 'published' | 'changed' | 'changedOn' | 'history'>;

/**
 * The fields of an agent that are only made when they are used, since most builds show few agents: those that a site adds,
 * and the long texts. They are on the prototype, so that all agents have the same shape, which V8 reads fastest.
 */
class LaterFields {
  readonly #agent: NumberedAgent;
  readonly #document: () => AgentDocument;
  readonly #dates: () => Dates;

  constructor(agent: NumberedAgent, document: () => AgentDocument, dates: () => Dates) {
    this.#agent = agent;
    this.#document = document;
    this.#dates = dates;
  }

  get document(): AgentDocument {
    return this.#document();
  }

  get published(): Date {
    return this.#dates().published;
  }

  get changed(): Date {
    return this.#dates().changed;
  }

  get changedOn(): string {
    return this.#dates().changedOn;
  }

  get history(): Dates['history'] {
    return this.#dates().history;
  }

  get howItWorks(): string {
    return this.#agent.howItWorks;
  }

  get demo(): NumberedAgent['demo'] {
    return this.#agent.demo;
  }

  get prompt(): string {
    return this.#agent.prompt;
  }

  get sampleInput(): string {
    return this.#agent.sampleInput;
  }

  get sampleOutput(): string {
    return this.#agent.sampleOutput;
  }

  get config(): NumberedAgent['config'] {
    return this.#agent.config;
  }

  get evals(): NumberedAgent['evals'] {
    return this.#agent.evals;
  }
}

function fingerprintOf(
  { slug, issue, date, digest, headDigest }: NumberedAgent,
  changes: readonly Change[],
  listsShowAll: boolean,
): Fingerprint {
  const whole = digestOf(JSON.stringify([slug, issue, date, digest, changes]));
  return {
    whole,
    listed: listsShowAll ? whole : digestOf(JSON.stringify([slug, issue, date, headDigest, changes[0]?.time])),
  };
}

/** The changes of an agent, newest first. A commit that renamed it changed nothing that readers see. */
function changesOf({ slug, formerSlugs }: NumberedAgent, history: SiteInput['history']): Change[] {
  return [slug, ...(formerSlugs ?? [])]
    .flatMap((name) => history.get(name) ?? [])
    .filter(({ whole }) => !whole)
    .sort((a, b) => b.time - a.time);
}

/** When an agent was published and changed. */
function datesOf(date: string, changes: readonly Change[], { startOfDay, today }: Zone): Dates {
  const published = startOfDay(date);
  const changed = new Date(Math.max(changes[0]?.time ?? 0, published.getTime()));
  return {
    published,
    changed,
    changedOn: today(changed),
    history: changes.map((change) => ({ ...change, day: today(new Date(change.time)) })),
  };
}

type DateNames = ReturnType<typeof dateNames>;

/** Makes functions that write out days (YYYY-MM-DD) and months (YYYY-MM) in a language (BCP 47). */
export const dateNames = onceForEach((language: string) => {
  const weekdays = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  const dates = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  const months = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const instant = (day: string) => new Date(`${day}T00:00:00Z`);
  return {
    weekday: onceForEach((day: string) => weekdays.format(instant(day))),
    longDate: onceForEach((day: string) => dates.format(instant(day))),
    dayOfMonth: (day: string) => String(Number(day.slice(8))),
    monthName: onceForEach((month: string) => months.format(instant(`${month}-01`))),
  };
});

/** The scripts of living languages that are written from right to left (ISO 15924). */
const rightToLeft = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa', 'Yezi']);

/** The direction of a language (BCP 47), for the attribute `dir`. A language without a script in its tag has its usual one. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  const { script = '' } = new Intl.Locale(language).maximize();
  return rightToLeft.has(script) ? 'rtl' : 'ltr';
}

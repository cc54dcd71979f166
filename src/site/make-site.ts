import { type Zone, zone } from '../lib/calendar.ts';
import { digestOf } from '../lib/files.ts';
import { once } from '../lib/lazy.ts';
import { compareText } from '../lib/text.ts';
import { type Change, headOf, type NumberedAgent } from '../schema/agent.ts';
import type { AgentDocument } from '../schema/documents.ts';
import type { Settings } from '../schema/settings.ts';
import { installWays } from '../text/install-ways.ts';
import { installSource } from './install/install-source.ts';
import { VersionsByRelease } from './install/plugins.ts';
import { agentDocumentOf } from './shared/agent-document.ts';
import { relatedAgents } from './shared/groups.ts';
import { markdownRenderer } from './shared/markdown-html.ts';
import { addresses } from './shared/urls.ts';
import {
  dateNames,
  type Fingerprint,
  type KnownVersions,
  type PublishedAgent,
  type Related,
  type Site,
} from './site.ts';

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
    plugins: new VersionsByRelease(input, input.published, knownVersions),
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
    plugins: new VersionsByRelease(site, site.published, site.plugins.known),
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

/** The scripts of living languages that are written from right to left (ISO 15924). */
const rightToLeft = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa', 'Yezi']);

/** The direction of a language (BCP 47), for the attribute `dir`. A language without a script in its tag has its usual one. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  const { script = '' } = new Intl.Locale(language).maximize();
  return rightToLeft.has(script) ? 'rtl' : 'ltr';
}

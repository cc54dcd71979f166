import { createHash } from 'node:crypto';
import { type Zone, zone } from '../calendar.ts';
import { compareText } from '../compare.ts';
import { type Change, headOf, type NumberedAgent } from '../schema/agent.ts';
import type { AgentDocument } from '../schema/documents.ts';
import type { Settings } from '../schema/settings.ts';
import type { ImageRenderer } from '../social-image/renderer.ts';
import { agentDocumentOf } from './shared/agent-document.ts';
import { type MarkdownRenderer, markdownRenderer } from './shared/markdown-html.ts';
import { relatedAgents } from './shared/related.ts';
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
  templates: Templates;
  /** Files that are published unchanged, by their path below dist/. */
  assets: ReadonlyMap<string, Uint8Array>;
  markdown: MarkdownRenderer;
  images: ImageRenderer;
  /** The related agents of each. */
  related: Related;
  /** The outputs of the site, for the pages that list them. */
  outputs: readonly OutputDescription[];
  /** Whether it has drafts or future agents. Its pages then say so, and ask not to be indexed. */
  preview: boolean;
}

/** Hashes of an agent, by which a build knows what it need not render again. */
export interface Fingerprint {
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
  /** Its changes, also under former slugs, newest first, each with its day in that time zone; empty without git. */
  history: readonly (Change & { day: string })[];
  fingerprint: Fingerprint;
}

export interface SiteInput extends Omit<Site, 'url' | 'agents' | 'markdown' | 'related'> {
  /** In any order. */
  agents: readonly NumberedAgent[];
  /** Slug → changes, newest first. */
  history: ReadonlyMap<string, readonly Change[]>;
  /** Whether templates may show any field in a list, as the catalog's own may. */
  listsShowAll: boolean;
  /** Which agents were related in the last build; null if that is not known. */
  related: Related | null;
}

/** How many related agents a page links to. */
const relatedCount = 3;

/** Makes a site of numbered agents. */
export function makeSite({ agents, history, listsShowAll, related, ...input }: SiteInput): Site {
  const { settings } = input;
  const url = addresses(settings);
  const calendar = zone(settings.timezone);
  const ordered = [...agents].sort((a, b) => compareText(b.date, a.date) || b.issue - a.issue);
  const published = ordered.map((agent): PublishedAgent => {
    const dates = datesOf(agent, history, calendar);
    const fingerprint = fingerprintOf(agent, dates, listsShowAll);
    // It inherits from the agent, which is faster than a copy.
    return Object.assign(Object.create(agent), dates, {
      document: agentDocumentOf(agent, settings, url),
      fingerprint,
    });
  });
  return {
    ...input,
    url,
    agents: published,
    markdown: markdownRenderer(url),
    related: relatedOf(published, related),
  };
}

function relatedOf(agents: readonly PublishedAgent[], before: Related | null): Related {
  const key = hashOf(agents.map(({ fingerprint }) => fingerprint.listed));
  if (before?.key === key) return before;
  const relatedTo = relatedAgents(agents, relatedCount);
  return { key, slugs: agents.map((_, index) => relatedTo(index).map(({ slug }) => slug)) };
}

function fingerprintOf(
  agent: NumberedAgent,
  { changed, history }: Pick<PublishedAgent, 'changed' | 'history'>,
  listsShowAll: boolean,
): Fingerprint {
  const times = [
    changed.toISOString(),
    ...history.map(({ commit, day, prompt }) => JSON.stringify([commit, day, prompt])),
  ];
  const whole = hashOf([agent.digest, String(agent.issue), agent.date, ...times]);
  if (listsShowAll) return { whole, listed: whole };
  return { whole, listed: hashOf([JSON.stringify({ ...headOf(agent), digest: '', changed })]) };
}

function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('base64url');
}

/** When an agent was published and changed. A commit that renamed it changed nothing that readers see. */
function datesOf(
  { slug, date, formerSlugs }: NumberedAgent,
  history: SiteInput['history'],
  { startOfDay, today }: Zone,
): Pick<PublishedAgent, 'published' | 'changed' | 'changedOn' | 'history'> {
  const published = startOfDay(date);
  const changes = [slug, ...(formerSlugs ?? [])]
    .flatMap((name) => history.get(name) ?? [])
    .filter(({ whole }) => !whole);
  const newestFirst = changes.sort((a, b) => b.time - a.time);
  const [last] = newestFirst;
  const changed = new Date(Math.max(last?.time ?? 0, published.getTime()));
  return {
    published,
    changed,
    changedOn: today(changed),
    history: newestFirst.map((change) => ({ ...change, day: today(new Date(change.time)) })),
  };
}

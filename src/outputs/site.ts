import { type InstallWays, installWays } from '../agent-text/install-ways.ts';
import { compareText } from '../compare.ts';
import { digestOf } from '../digest.ts';
import type { Change, NumberedAgent } from '../schema/agent.ts';
import type { AgentDocument } from '../schema/documents.ts';
import type { PublishedPlugins } from '../schema/plugins.ts';
import type { Settings } from '../schema/settings.ts';
import type { ImageRenderer } from '../social-image/renderer.ts';
import { installSource } from './install/install-source.ts';
import { type KnownVersions, PluginVersions } from './install/plugin-versions.ts';
import { publisherOf } from './published-agent.ts';
import { type DateNames, dateNames } from './shared/dates.ts';
import { type MarkdownRenderer, markdownRenderer } from './shared/markdown-html.ts';
import { relatedAgents } from './shared/related.ts';
import type { Templates } from './shared/templates.ts';
import { directionOf } from './shared/text-direction.ts';
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
  /** How many commits changed it, also under former slugs. */
  revision: number;
  /** Its changes, also under former slugs, newest first, each with its day in that time zone; empty without git. */
  history: readonly (Change & { day: string })[];
  fingerprint: Fingerprint;
}

export interface SiteInput
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

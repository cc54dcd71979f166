import { zone } from '../lib/calendar.ts';
import { digestOf } from '../lib/files.ts';
import { compareText } from '../lib/text.ts';
import type { Agent, NumberedAgent } from '../schema/agent.ts';
import type { PublishedPlugins } from '../schema/documents.ts';
import type { Settings } from '../schema/settings.ts';
import { installSource, installWays } from '../text/install-ways.ts';
import { withVersions } from './hosting/host-files.ts';
import { contentTypes } from './hosting/site-rules.ts';
import { outputs } from './index.ts';
import { versionsByRelease } from './install/plugins.ts';
import type { Output } from './output.ts';
import { listedDocumentOf } from './shared/agent-document.ts';
import { relatedAgents } from './shared/groups.ts';
import { markdownRenderer } from './shared/markdown-html.ts';
import { templateHelpers } from './shared/page.ts';
import { compileTemplates, type TemplateFiles } from './shared/templates.ts';
import {
  addresses,
  changesOf,
  dateNames,
  type KnownVersions,
  type NextAgent,
  type PublishedAgent,
  type Related,
  type Site,
} from './site.ts';
import { imageRenderer } from './social-image/renderer.ts';

interface SiteOptions {
  /** @default false */
  preview?: boolean;
  /** @default none */
  history?: Site['history'];
  /** The plugins that were published before. @default none */
  published?: PublishedPlugins;
  /** The folder that keeps social images between builds. */
  cache?: string | null;
  /** Whether to draw social images; if not, their files are empty. @default false */
  images?: boolean;
  /** The state of the last build. If it is the same site, its templates are well-formed. */
  memory?: { isKnown: boolean; related: Related | null; versions: KnownVersions } | null;
}

const noPlugins: PublishedPlugins = {
  releases: new Map(),
  isRelease: () => false,
  read: () => new Map(),
};

/** How many related agents a page links to. */
const relatedCount = 3;

/**
 * Makes the site of the selected agents, with the templates of their catalog.
 *
 * Throws ContentError when a template is not well-formed.
 */
export function makeSite(
  { templates, assets: files, fonts, custom }: TemplateFiles,
  settings: Settings,
  {
    agents,
    next,
    moved,
    withdrawn,
  }: Pick<Site, 'moved' | 'withdrawn'> & { agents: readonly NumberedAgent[]; next: Agent | null },
  {
    preview = false,
    history = new Map(),
    published = noPlugins,
    cache = null,
    images = false,
    memory = null,
  }: SiteOptions = {},
): Site {
  const url = addresses(settings);
  const assets = withVersions(files);
  const ordered = [...agents].sort((a, b) => compareText(b.date, a.date) || b.issue - a.issue);
  const shown = ordered.map(publisherOf({ settings, history, listsShowAll: custom }));
  return {
    settings,
    url,
    agents: shown,
    next: nextAgentOf(next, settings),
    moved,
    withdrawn,
    history,
    published,
    plugins: versionsByRelease({ settings }, published, memory?.versions),
    installWays: installWays(installSource(settings)),
    templates: compileTemplates(templates, templateHelpers(settings, url, assets), memory?.isKnown),
    assets,
    markdown: markdownRenderer(url),
    dates: dateNames(settings.language),
    direction: directionOf(settings.language),
    images: imageRenderer(fonts, cache, images),
    related: relatedOf(shown, memory?.related ?? null),
    outputs: outputs.map(describe),
    listsShowAll: custom,
    preview,
  };
}

function describe({ path, purpose }: Output): Site['outputs'][number] {
  const type = contentTypes[path];
  return { path, type: typeof type === 'string' ? type : null, purpose };
}

/** The facts that pages may show about the next agent. */
function nextAgentOf(next: Agent | null, { showNext, categories, timezone }: Settings): NextAgent | null {
  if (next === null || showNext === 'nothing') return null;
  const { date, title, category } = next;
  const names = { time: null, category: categories[category]?.label ?? category, title };
  return { date, from: zone(timezone).startOfDay(date).toISOString(), name: names[showNext] };
}

/**
 * Returns a site with other texts of some agents, by their position, whose numbers and dates are the same as before. It
 * costs little, since no relation between agents is looked for again.
 */
export function withTexts(site: Site, changed: ReadonlyMap<number, NumberedAgent>): Site {
  const publish = publisherOf(site);
  const agents = [...site.agents];
  for (const [position, agent] of changed) agents[position] = publish(agent);
  return {
    ...site,
    agents,
    plugins: versionsByRelease(site, site.published, site.plugins.known),
  };
}

function relatedOf(agents: readonly PublishedAgent[], before: Related | null): Related {
  const key = digestOf(agents.map(({ fingerprint }) => fingerprint.listed).join());
  if (before?.key === key) return before;
  const relatedTo = relatedAgents(agents, relatedCount);
  return { key, slugs: agents.map((_, index) => relatedTo(index).map(({ slug }) => slug)) };
}

/** What a site adds to an agent. A class, since Node.js 20 needs 1 KB for each copy made with `...`, and 0.3 KB for these. */
class Published implements Omit<PublishedAgent, keyof NumberedAgent> {
  published!: Date;
  changed!: Date;
  changedOn!: string;
  revision!: number;
  history!: PublishedAgent['history'];
  document!: PublishedAgent['document'];
  fingerprint!: PublishedAgent['fingerprint'];
}

/** Returns a function that adds to an agent what a site shows of it. */
function publisherOf({ settings, history, listsShowAll }: Pick<Site, 'settings' | 'history' | 'listsShowAll'>) {
  const url = addresses(settings);
  const { startOfDay, today } = zone(settings.timezone);
  return (agent: NumberedAgent): PublishedAgent => {
    const { slug, issue, date, digest, headDigest } = agent;
    // A commit that renamed it changed nothing that readers see.
    const changes = changesOf(agent, history).filter(({ whole }) => !whole);
    const published = startOfDay(date);
    const changed = new Date(Math.max(changes[0]?.time ?? 0, published.getTime()));
    const whole = digestOf(JSON.stringify([slug, issue, date, digest, changes]));
    const listed = digestOf(JSON.stringify([slug, issue, date, headDigest, changes[0]?.time]));
    return Object.assign(new Published(), agent, {
      published,
      changed,
      changedOn: today(changed),
      history: changes.map((change) => ({ ...change, day: today(new Date(change.time)) })),
      document: listedDocumentOf(agent, settings, url),
      revision: changes.length,
      fingerprint: { whole, listed: listsShowAll ? whole : listed },
    });
  };
}

/** The scripts of living languages that are written from right to left (ISO 15924). */
const rightToLeft = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa', 'Yezi']);

/** The direction of a language (BCP 47), for the attribute `dir`. A language without a script in its tag has its usual one. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  const { script = '' } = new Intl.Locale(language).maximize();
  return rightToLeft.has(script) ? 'rtl' : 'ltr';
}

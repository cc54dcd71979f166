import { type Zone, zone } from '../calendar.ts';
import { compareText } from '../compare.ts';
import type { Change, NumberedAgent } from '../schema/agent.ts';
import type { AgentDocument } from '../schema/documents.ts';
import type { Settings } from '../schema/settings.ts';
import type { ImageRenderer } from '../social-image/renderer.ts';
import { agentDocumentOf } from './shared/agent-document.ts';
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
  templates: Templates;
  /** Files that are published unchanged, by their path below dist/. */
  assets: ReadonlyMap<string, Uint8Array>;
  markdown: MarkdownRenderer;
  images: ImageRenderer;
  /** The outputs of the site, for the pages that list them. */
  outputs: readonly OutputDescription[];
  /** Whether it has drafts or future agents. Its pages then say so, and ask not to be indexed. */
  preview: boolean;
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
}

export interface SiteInput extends Omit<Site, 'url' | 'agents' | 'markdown'> {
  /** In any order. */
  agents: readonly NumberedAgent[];
  /** Slug → changes, newest first. */
  history: ReadonlyMap<string, readonly Change[]>;
}

/** Makes a site of numbered agents. */
export function makeSite({ agents, history, ...input }: SiteInput): Site {
  const { settings } = input;
  const url = addresses(settings);
  const calendar = zone(settings.timezone);
  const ordered = [...agents].sort((a, b) => compareText(b.date, a.date) || b.issue - a.issue);
  return {
    ...input,
    url,
    agents: ordered.map((agent) => ({
      ...agent,
      document: agentDocumentOf(agent, settings, url),
      ...datesOf(agent, history, calendar),
    })),
    markdown: markdownRenderer(url),
  };
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
  const newestFirst = changes.sort((a, b) => b.time.getTime() - a.time.getTime());
  const [last] = newestFirst;
  const changed = last !== undefined && last.time > published ? last.time : published;
  return {
    published,
    changed,
    changedOn: today(changed),
    history: newestFirst.map((change) => ({ ...change, day: today(change.time) })),
  };
}

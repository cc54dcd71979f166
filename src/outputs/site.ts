import { type Zone, zone } from '../calendar.ts';
import type { Change, NumberedAgent } from '../schema/agent.ts';
import type { AgentDocument } from '../schema/documents.ts';
import type { Settings } from '../schema/settings.ts';
import type { ImageRenderer } from '../social-image/renderer.ts';
import { agentDocumentOf } from './shared/agent-document.ts';
import { type MarkdownRenderer, markdownRenderer } from './shared/markdown-html.ts';
import type { Templates } from './shared/templates.ts';
import { type Addresses, addresses } from './shared/urls.ts';

/** Everything that a build renders from. The same site always renders the same bytes. */
export interface Site {
  settings: Settings;
  url: Addresses;
  /** Newest first: by date, then by number, both descending. */
  agents: readonly PublishedAgent[];
  /** Former slug → slug of the agent that had it. */
  moved: ReadonlyMap<string, string>;
  templates: Templates;
  /** Files that are served as they are, by their path below dist/. */
  assets: ReadonlyMap<string, Uint8Array>;
  markdown: MarkdownRenderer;
  images: ImageRenderer;
  /** The outputs of the site, for the pages that list them. */
  outputs: readonly OutputDescription[];
  /** Whether agents are in it that are not due: pages then say so and ask not to be indexed. */
  preview: boolean;
}

/** An output as pages and docs list it. */
export interface OutputDescription {
  path: string;
  /** The content type; null for a family of several types. */
  type: string | null;
  purpose: string;
}

/** An agent with the document that readers get of it. */
export interface PublishedAgent extends NumberedAgent {
  document: AgentDocument;
  /** The instant at which its day begins in the publication's time zone. */
  published: Date;
  /** The instant of its last change since then; that of its publication where there is none, or git does not know. */
  changed: Date;
  /** The day of `changed` in the publication's time zone, YYYY-MM-DD. */
  changedOn: string;
  /** Changes of it, also under its former slugs, newest first, each with its day there; empty where git does not know. */
  history: readonly (Change & { day: string })[];
}

export interface SiteInput {
  settings: Settings;
  agents: readonly NumberedAgent[];
  moved: ReadonlyMap<string, string>;
  /** Slug → changes, newest first. */
  history: ReadonlyMap<string, readonly Change[]>;
  templates: Templates;
  assets: ReadonlyMap<string, Uint8Array>;
  images: ImageRenderer;
  outputs: readonly OutputDescription[];
  preview: boolean;
}

/** Makes a site of numbered agents; they may be in any order. */
export function makeSite(input: SiteInput): Site {
  const { settings, agents, moved, history, templates, assets, images, outputs, preview } = input;
  const url = addresses(settings);
  const calendar = zone(settings.timezone);
  const ordered = [...agents].sort((a, b) => (a.date === b.date ? b.issue - a.issue : a.date < b.date ? 1 : -1));
  return {
    settings,
    url,
    agents: ordered.map((agent) => ({
      ...agent,
      document: agentDocumentOf(agent, settings, url),
      ...datesOf(agent, history, calendar),
    })),
    moved,
    templates,
    assets,
    markdown: markdownRenderer(url),
    images,
    outputs,
    preview,
  };
}

/** When an agent was published and changed. A commit that moved it to another slug changed nothing that readers see. */
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

import { distance } from 'fastest-levenshtein';
import { LRUCache } from 'lru-cache';
import { compareText } from '../../lib/text.ts';
import { type AgentEnvelope, type AgentSummary, type Revisions, revisionsPath } from '../../schema/documents.ts';
import { type AgentEvals, agentEvalsPath } from '../../schema/evals.ts';
import { cardPath, serverCard } from '../../schema/mcp.ts';
import type { StoredEntry } from '../../site/search/query.ts';
import { loadSearchIndex } from '../../site/search/search-index.ts';
import { installWays } from '../../text/install-ways.ts';
import type { JsonBytes } from './messages.ts';

/** Reads a file of a build by its path below the folder of the build; null if it does not exist. */
type ReadFile = (path: string) => Promise<Buffer | null>;

/** The content of a build for the MCP server. */
export type McpCatalog = Awaited<ReturnType<typeof loadMcpCatalog>>;

/** The most bytes of all results with their keys, and of one. */
const mostBytes = 32 * 1024 * 1024;
const mostOfResult = 1024 * 1024;

/** Keeps results as JSON: the same request has the same result until the next build. */
type Results = LRUCache<string, JsonBytes>;

export function keptResults(): Results {
  return new LRUCache({
    maxSize: mostBytes,
    maxEntrySize: mostOfResult,
    sizeCalculation: (json, key) => key.length + json.length,
  });
}

/**
 * Loads the catalog of a build in slices. `moved` leads from former slugs to current ones.
 *
 * Rejects with an Error that names a file if it is missing or not what a build writes.
 */
export async function loadMcpCatalog(read: ReadFile, moved: Readonly<Record<string, string>>) {
  const need = async (path: string) => {
    const bytes = await read(path);
    if (bytes === null) throw new Error(`${path} is missing`);
    return bytes;
  };
  const card = serverCard.parse(JSON.parse((await need(cardPath)).toString('utf8')));
  // A list of 1,000 agents is parsed in 2 ms, so it is not read in slices.
  const { agents } = JSON.parse((await need(catalogPath)).toString('utf8')) as { agents: AgentSummary[] };
  const index = await loadSearchIndex(await need('search-index.json')).catch((error: Error) => {
    throw new Error(`search-index.json cannot be read: ${error.message}`);
  });
  const text = async (path: string) => (await read(path))?.toString('utf8') ?? null;
  const parsed = async <Document>(path: string) => JSON.parse((await text(path)) ?? 'null') as Document | null;
  const bySlug = new Map(agents.map((agent) => [agent.slug, agent]));
  return {
    card,
    installWays: installWays({
      title: card.title,
      site: card.websiteUrl,
      mcp: card.remotes?.[0]?.url ?? null,
      repository: card.repository?.url ?? null,
    }),
    /** The address of the JSON Schema of its documents. */
    schema: `${card.websiteUrl}/api/schema.json`,
    /** Newest first. */
    agents,
    bySlug,
    /** The categories and tags of all agents with their numbers of agents, most used first. */
    categories: counted(agents.map(({ category }) => category)),
    tags: counted(agents.flatMap((agent) => agent.tags)),
    index,
    /** The current slug of an agent, given that or a former one; undefined if it is unknown. */
    slugOf: (slug: string) => (bySlug.has(slug) ? slug : Object.hasOwn(moved, slug) ? moved[slug] : undefined),
    /** The published catalog, and an agent's envelope, prompt, sample output and skill; null if the agent was just removed. */
    catalogJson: () => text(catalogPath),
    async envelope(slug: string) {
      const json = await text(`api/agents/${slug}.json`);
      return json === null ? null : { document: JSON.parse(json) as AgentEnvelope, text: json };
    },
    prompt: (slug: string) => text(`agents/${slug}/prompt.txt`),
    sampleOutput: (slug: string) => text(`agents/${slug}/sample-output.txt`),
    /** The recorded answers of an agent; null if it has none. */
    evals: (slug: string) => parsed<AgentEvals>(agentEvalsPath.replace('{slug}', slug)),
    /** The digests of the current prompts. To read all prompts takes half a second with 1,000 agents. */
    promptDigests: async () =>
      (await parsed<Revisions>(revisionsPath))?.agents.map(({ prompts }) => prompts[0]?.sha256) ?? null,
    skill: (slug: string) => read(`.well-known/agent-skills/${slug}/SKILL.md`),
    /** The day on which the prompt of an agent was last reviewed: when it was published, or last changed. */
    reviewedOn: ({ slug, date }: { slug: string; date: string }) =>
      (index.getStoredFields(slug) as StoredEntry | undefined)?.changedOn ?? date,
    /** Whether the client is told when lists change, as it is over stdio. */
    listChanged: false,
    /** Earlier results from this build. */
    results: keptResults(),
  };
}

const catalogPath = 'api/agents.json';

function counted(keys: readonly string[]) {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts]
    .map(([key, count]) => ({ key, count }))
    .sort((a, b) => b.count - a.count || compareText(a.key, b.key));
}

/** Conditions for agents. Absent and blank ones are ignored. */
export type Filters = { [Name in 'category' | 'tag' | 'difficulty' | 'runtime']?: string | undefined };

/** Whether an agent meets all filters, in any case. A category is its key or its label. */
export function fits(
  filters: Filters,
): (agent: Pick<AgentSummary, 'category' | 'categoryLabel' | 'tags' | 'difficulty' | 'runtimes'>) => boolean {
  const [category, tag, difficulty, runtime] = [filters.category, filters.tag, filters.difficulty, filters.runtime].map(
    (filter) => filter?.trim().toLowerCase() ?? '',
  );
  const same = (filter: string | undefined, values: readonly string[]) =>
    filter === '' || values.some((value) => value.toLowerCase() === filter);
  return (agent) =>
    same(category, [agent.category, agent.categoryLabel]) &&
    same(tag, agent.tags) &&
    same(difficulty, [agent.difficulty]) &&
    same(runtime, agent.runtimes);
}

/** Suggests up to three slugs for a wrong one, nearest first. */
export function nearestSlugs({ agents }: McpCatalog, wrong: string): string[] {
  const words = wrong
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64);
  const most = Math.max(2, Math.ceil(words.length / 2));
  return agents
    .map(({ slug }) => ({ slug, distance: slug.includes(words) && words.length > 2 ? 1 : distance(words, slug) }))
    .filter((candidate) => candidate.distance <= most)
    .sort((a, b) => a.distance - b.distance || compareText(a.slug, b.slug))
    .slice(0, 3)
    .map(({ slug }) => slug);
}

/** The entries in an answer of a list method. 10,000 agents stay below the 64 pages that clients follow. */
const listPageSize = 200;

/**
 * The page of `items` (newest first) after the agent in the cursor, so that an agent published meanwhile shifts nothing.
 *
 * Returns null for a cursor that this server cannot have given.
 */
export function pageOf<Item extends { issue: number }>(
  items: readonly Item[],
  cursor: string | undefined,
  size = listPageSize,
) {
  const before = cursor === undefined ? Number.POSITIVE_INFINITY : issueOf(cursor);
  if (before === null) return null;
  // In a preview, the number of a draft can be higher than the numbers of later days. The agent of a cursor may be gone.
  const index = items.findIndex(({ issue }) => issue === before);
  const rest = index === -1 ? items.filter(({ issue }) => issue < before) : items.slice(index + 1);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  return { items: page, nextCursor: last && rest.length > size ? cursorAfter(last.issue) : undefined };
}

function cursorAfter(issue: number): string {
  return Buffer.from(`before ${issue}`).toString('base64url');
}

function issueOf(cursor: string): number | null {
  const issue = /^before ([1-9]\d{0,8})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  return issue !== undefined && cursorAfter(Number(issue)) === cursor ? Number(issue) : null;
}

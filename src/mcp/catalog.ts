import type MiniSearch from 'minisearch';
import { type InstallWays, installWays } from '../agent-text/install-ways.ts';
import { compareText } from '../compare.ts';
import type { AgentEnvelope, AgentSummary } from '../schema/documents.ts';
import { type AgentEvals, agentEvalsPath } from '../schema/graded.ts';
import { cardPath, type ServerCard, serverCard } from '../schema/mcp.ts';
import type { SearchEntry, StoredEntry } from '../search/fields.ts';
import { inSlices, loadSearchIndex } from '../search/search-index.ts';
import { endOfString } from '../text-safety/bounded-input.ts';
import { keptResults, type Results } from './results.ts';

/** Reads a file of a build by its path below the folder of the build; null if it does not exist. */
export type ReadFile = (path: string) => Promise<Buffer | null>;

/** The content of a build for the MCP server. */
export interface McpCatalog {
  card: ServerCard;
  installWays: InstallWays;
  /** The address of the JSON Schema of its documents. */
  schema: string;
  /** Newest first. */
  agents: readonly AgentSummary[];
  bySlug: ReadonlyMap<string, AgentSummary>;
  /** The categories and tags of all agents with their numbers of agents, most used first. */
  categories: readonly Counted[];
  tags: readonly Counted[];
  index: MiniSearch<SearchEntry>;
  /** The current slug of an agent, given that or a former one; undefined if it is unknown. */
  slugOf(slug: string): string | undefined;
  /** The published catalog, and an agent's envelope, prompt, sample output and skill; null if the agent was just removed. */
  catalogJson(): Promise<string | null>;
  envelope(slug: string): Promise<Published<AgentEnvelope> | null>;
  prompt(slug: string): Promise<string | null>;
  sampleOutput(slug: string): Promise<string | null>;
  skill(slug: string): Promise<Buffer | null>;
  /** The recorded answers of an agent; null if it has none. */
  evals(slug: string): Promise<AgentEvals | null>;
  /** The day on which the prompt of an agent was last reviewed: when it was published, or last changed. */
  reviewedOn(agent: { slug: string; date: string }): string;
  /** Whether the client is told when lists change, as it is over stdio. */
  listChanged: boolean;
  /** Earlier results from this build. */
  results: Results;
}

export interface Counted {
  key: string;
  count: number;
}

/** A document and its published text. */
export interface Published<Document> {
  document: Document;
  text: string;
}

/**
 * Loads the catalog of a build in slices. `moved` leads from former slugs to current ones.
 *
 * Rejects with an Error that names a file if it is missing or not what a build writes.
 */
export async function loadMcpCatalog(read: ReadFile, moved: Readonly<Record<string, string>>): Promise<McpCatalog> {
  const need = async (path: string) => {
    const bytes = await read(path);
    if (bytes === null) throw new Error(`${path} is missing`);
    return bytes;
  };
  const card = serverCard.parse(JSON.parse((await need(cardPath)).toString('utf8')));
  const agents = await inSlices(readAgents(await need(catalogPath)));
  const index = await loadSearchIndex(await need('search-index.json')).catch((error: Error) => {
    throw new Error(`search-index.json cannot be read: ${error.message}`);
  });
  const text = async (path: string) => (await read(path))?.toString('utf8') ?? null;
  const categories = await inSlices(counted(agents.map(({ category }) => category)));
  const tags = await inSlices(counted(agents.flatMap((agent) => agent.tags)));
  const bySlug = new Map(agents.map((agent) => [agent.slug, agent]));
  return {
    card,
    installWays: installWays({
      title: card.title,
      site: card.websiteUrl,
      mcp: card.remotes?.[0]?.url ?? null,
      repository: card.repository?.url ?? null,
    }),
    schema: `${card.websiteUrl}/api/schema.json`,
    agents,
    bySlug,
    categories,
    tags,
    index,
    slugOf: (slug) => (bySlug.has(slug) ? slug : Object.hasOwn(moved, slug) ? moved[slug] : undefined),
    catalogJson: () => text(catalogPath),
    async envelope(slug) {
      const json = await text(`api/agents/${slug}.json`);
      return json === null ? null : { document: JSON.parse(json) as AgentEnvelope, text: json };
    },
    prompt: (slug) => text(`agents/${slug}/prompt.txt`),
    sampleOutput: (slug) => text(`agents/${slug}/sample-output.txt`),
    async evals(slug) {
      const json = await text(agentEvalsPath.replace('{slug}', slug));
      return json === null ? null : (JSON.parse(json) as AgentEvals);
    },
    skill: (slug) => read(`.well-known/agent-skills/${slug}/SKILL.md`),
    reviewedOn: ({ slug, date }) => (index.getStoredFields(slug) as StoredEntry | undefined)?.changedOn ?? date,
    listChanged: false,
    results: keptResults(),
  };
}

const catalogPath = 'api/agents.json';

/** Parses the agents in api/agents.json, one at each step. */
function* readAgents(json: Buffer): Generator<void, AgentSummary[]> {
  const agents: AgentSummary[] = [];
  for (const text of itemsOfLists(json.toString('utf8'))) {
    agents.push(JSON.parse(text) as AgentSummary);
    yield;
  }
  return agents;
}

/**
 * The texts of the objects in the lists of a JSON object, such as `{"agents":[…]}`. They are found by the brackets
 * outside of strings, so that a large list can be parsed item by item, however it is indented.
 */
function* itemsOfLists(json: string): Generator<string> {
  const token = /[[\]{}"]/g;
  let depth = 0;
  let start = 0;
  for (let match = token.exec(json); match !== null; match = token.exec(json)) {
    const [found] = match;
    if (found === '"') token.lastIndex = endOfString(json, match.index) + 1;
    else if (found === '{' || found === '[') {
      depth += 1;
      if (depth === 3) start = match.index;
    } else if (found === '}' || found === ']') {
      if (depth === 3) yield json.slice(start, token.lastIndex);
      depth -= 1;
    }
  }
}

function* counted(keys: readonly string[]): Generator<void, Counted[]> {
  const counts = new Map<string, number>();
  for (const key of keys) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    yield;
  }
  return [...counts]
    .map(([key, count]) => ({ key, count }))
    .sort((a, b) => b.count - a.count || compareText(a.key, b.key));
}

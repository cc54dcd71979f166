import { distance } from 'fastest-levenshtein';
import { compareText } from '../compare.ts';
import type { AgentSummary } from '../schema/documents.ts';
import { searchAgents } from '../search/query.ts';
import type { McpCatalog } from './catalog.ts';

/** Conditions for agents. Absent and blank ones are ignored. */
export interface Filters {
  category?: string | undefined;
  tag?: string | undefined;
  difficulty?: string | undefined;
  runtime?: string | undefined;
}

/** Whether an agent meets all filters, in any case. A category is its key or its label. */
export function fits(
  filters: Filters,
): (agent: Pick<AgentSummary, 'category' | 'categoryLabel' | 'tags' | 'difficulty' | 'runtimes'>) => boolean {
  const [category, tag, difficulty, runtime] = [filters.category, filters.tag, filters.difficulty, filters.runtime].map(
    (filter) => filter?.trim().toLowerCase() ?? '',
  );
  const same = (wanted: string | undefined, values: readonly string[]) =>
    wanted === '' || values.some((value) => value.toLowerCase() === wanted);
  return (agent) =>
    same(category, [agent.category, agent.categoryLabel]) &&
    same(tag, agent.tags) &&
    same(difficulty, [agent.difficulty]) &&
    same(runtime, agent.runtimes);
}

/** The result of a search. */
export interface Found {
  /** The best agents, best first, each with a score of up to 1. */
  agents: (AgentSummary & { score: number })[];
  /** How many agents were found. */
  total: number;
  matched: 'every word' | 'some words' | 'nothing';
}

/** Searches the agents as the pages do, and returns the first `limit`. */
export function search({ index, bySlug }: McpCatalog, query: string, filters: Filters, limit: number): Found {
  const hits = searchAgents(index, query, fits(filters)).filter(({ id }) => bySlug.has(id));
  const agents = hits.slice(0, limit).map(({ id, score }) => {
    return { ...(bySlug.get(id) as AgentSummary), score: Math.round(score * 100) / 100 };
  });
  const matched = hits[0] === undefined ? 'nothing' : hits[0].whole ? 'every word' : 'some words';
  return { agents, total: hits.length, matched };
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

import { distance } from 'fastest-levenshtein';
import { compareText } from '../compare.ts';
import type { AgentSummary } from '../schema/documents.ts';
import { searchAgents } from '../search/query.ts';
import type { McpCatalog } from './catalog.ts';

/** What agents can be narrowed down to; absent or blank: to all. */
export interface Filters {
  category?: string | undefined;
  tag?: string | undefined;
  difficulty?: string | undefined;
  runtime?: string | undefined;
}

/** Whether an agent fits all filters, in whatever case they are written; a category fits by its key or its label. */
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

/** What a search found. */
export interface Found {
  /** The best of them, best first, each with how well it answers the query: 1 is best. */
  agents: (AgentSummary & { score: number })[];
  /** How many there are in all. */
  total: number;
  matched: 'every word' | 'some words' | 'nothing';
}

/** The agents that a query finds, as the search of the pages does; the first `limit` of them. */
export function search({ index, bySlug }: McpCatalog, query: string, filters: Filters, limit: number): Found {
  const hits = searchAgents(index, query, fits(filters)).filter(({ id }) => bySlug.has(id));
  const agents = hits.slice(0, limit).map(({ id, score }) => {
    return { ...(bySlug.get(id) as AgentSummary), score: Math.round(score * 100) / 100 };
  });
  const matched = hits[0] === undefined ? 'nothing' : hits[0].whole ? 'every word' : 'some words';
  return { agents, total: hits.length, matched };
}

/** The slugs that a wrong one was most likely meant to be, nearest first, at most three. */
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

import type { z } from 'zod';
import { nearest } from '../diagnostics/suggestions.ts';
import type { AgentSummary } from '../schema/documents.ts';
import { listedAgent } from '../schema/mcp.ts';
import type { McpCatalog } from './catalog.ts';
import { type Filters, fits } from './find.ts';

/** The number of suggested tags. */
const suggestedTags = 15;

/** The fields of an agent in a list. */
export function listed(detail: 'short' | 'full'): (agent: AgentSummary) => z.infer<typeof listedAgent> {
  return (agent) => (detail === 'full' ? agent : listedAgent.strip().parse(agent));
}

/** Agents as a list for models and people, with their scores if they come from a search. */
export function agentLines(agents: readonly (AgentSummary & { score?: number })[], detail: 'short' | 'full'): string {
  return agents
    .map((agent) => {
      const { slug, title, excerpt, category, difficulty, date, score } = agent;
      const facts = [category, difficulty, date];
      if (detail === 'full') facts.push(`No. ${agent.issue}`, ...agent.tags, ...agent.runtimes, agent.url);
      if (score !== undefined) facts.push(`score ${score}`);
      return `- ${slug}: ${title}. ${excerpt} (${facts.join(', ')})`;
    })
    .join('\n');
}

/** Categories and tags to try after a request found nothing. */
export function suggestions({ categories, tags }: McpCatalog): { categories: string[]; tags: string[] } {
  return {
    categories: categories.map(({ key }) => key),
    tags: tags.slice(0, suggestedTags).map(({ key }) => key),
  };
}

/** Says that nothing was found, the likely reason, and what to try. Without a `query`, it was a list. */
export function nothingFound(catalog: McpCatalog, { query, category, tag }: Filters & { query?: string }): string {
  if (catalog.agents.length === 0) return 'The catalog has no agents yet.';
  const { categories, tags } = suggestions(catalog);
  const reasons = [
    unknownValue(catalog, 'category', category, catalog.categories),
    unknownValue(catalog, 'tag', tag, catalog.tags),
  ];
  const opening =
    query !== undefined && query.trim() === '' ? 'The query is empty, so nothing was searched.' : 'No agent was found.';
  const next = query === undefined ? 'Try' : 'Try fewer or other words, or list_agents with';
  const alternatives = [`${next} one of these categories: ${categories.join(', ')}`];
  if (tags.length > 0) alternatives.push(`or one of these tags: ${tags.join(', ')}`);
  return `${[opening, ...reasons.filter((reason) => reason !== '')].join(' ')}\n${alternatives.join(';\n')}.`;
}

function unknownValue(
  { agents }: McpCatalog,
  name: 'category' | 'tag',
  given: string | undefined,
  counted: McpCatalog['tags'],
): string {
  const wanted = given?.trim().toLowerCase() ?? '';
  if (wanted === '' || agents.some(fits({ [name]: given }))) return '';
  const meant = nearest(
    wanted,
    counted.map(({ key }) => key),
  );
  return `No agent has this ${name}${meant === undefined ? '.' : `; did you mean ${meant}?`}`;
}

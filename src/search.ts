import MiniSearch from 'minisearch';
import type { AgentDocument } from './schema/documents.ts';
import { type SearchEntry, searchOptions } from './search-fields.ts';

/**
 * Of how many agents, the first ones, the problem is searched as well. It is the longest text: with all of them the
 * index of 10,000 agents would be half as large again, and past what servers keep in memory and compress.
 */
const searchedProblems = 1_000;

/** The search index of some agents, newest first. The same agents in the same order give the same index. */
export function searchIndex(documents: readonly AgentDocument[]): MiniSearch<SearchEntry> {
  const index = new MiniSearch<SearchEntry>(searchOptions);
  index.addAll(documents.map((document, place) => searchEntry(document, place < searchedProblems)));
  return index;
}

function searchEntry(
  { slug, title, excerpt, problem, tags, category, categoryLabel, difficulty, runtimes, date, issue }: AgentDocument,
  withProblem: boolean,
): SearchEntry {
  const shown = { slug, title, excerpt, tags, category, categoryLabel, difficulty, runtimes, date, issue };
  return { ...shown, problem: withProblem ? problem : '' };
}

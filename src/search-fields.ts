import type { Options } from 'minisearch';

/** What is searched and shown of an agent. The prompt is left out: it made the index ten times as large. */
export interface SearchEntry {
  slug: string;
  title: string;
  excerpt: string;
  problem: string;
  tags: string[];
  categoryLabel: string;
  category: string;
  difficulty: string;
  runtimes: string[];
  date: string;
  issue: number;
}

/** What a result holds of an agent: what the pages show and filter by. */
export type StoredEntry = Omit<SearchEntry, 'slug' | 'problem'>;

/** The fields, weights and settings of the search: one set for the index, the pages and MCP. */
export const searchOptions: Options<SearchEntry> = {
  idField: 'slug',
  fields: ['title', 'excerpt', 'problem', 'tags', 'categoryLabel'],
  storeFields: ['title', 'excerpt', 'tags', 'category', 'categoryLabel', 'difficulty', 'runtimes', 'date', 'issue'],
  searchOptions: {
    boost: { title: 4, tags: 3, categoryLabel: 2, excerpt: 2 },
    prefix: true,
    fuzzy: (term) => (term.length > 3 ? 0.2 : false),
    combineWith: 'AND',
  },
};

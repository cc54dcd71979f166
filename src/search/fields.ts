import type { Options } from 'minisearch';
import { indexTerms } from './terms.ts';

/** The searched and shown fields of an agent. The prompt is not searched: it made the index ten times as large. */
export interface SearchEntry {
  slug: string;
  title: string;
  excerpt: string;
  problem: string;
  /** The names of its steps. */
  steps: string[];
  /** Words that readers may search for; never shown. */
  keywords: string[];
  tags: string[];
  categoryLabel: string;
  category: string;
  difficulty: string;
  runtimes: string[];
  date: string;
  /** The day of the last change, if it is later than `date`. */
  changedOn?: string;
  issue: number;
}

/** The fields in a result, which pages show and filter by. */
export type StoredEntry = Omit<SearchEntry, 'slug' | 'problem' | 'steps' | 'keywords'>;

/** The searched fields, with how much a word in them says about an agent's purpose, from 0 to 1. */
export const fieldWeights = {
  title: 1,
  tags: 1,
  keywords: 1,
  excerpt: 0.8,
  categoryLabel: 0.6,
  problem: 0.4,
  steps: 0.4,
} as const satisfies Partial<Record<keyof SearchEntry, number>>;

/** The options of the search index, the same for builds, pages and MCP. query.ts searches it. */
export const searchOptions: Options<SearchEntry> = {
  idField: 'slug',
  fields: Object.keys(fieldWeights),
  storeFields: [
    'title',
    'excerpt',
    'tags',
    'category',
    'categoryLabel',
    'difficulty',
    'runtimes',
    'date',
    'changedOn',
    'issue',
  ],
  processTerm: indexTerms,
};

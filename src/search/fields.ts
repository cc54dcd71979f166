import type { Options } from 'minisearch';
import { isStopWord } from './words.ts';

/** What is searched and shown of an agent. The prompt is left out: it made the index ten times as large. */
export interface SearchEntry {
  slug: string;
  title: string;
  excerpt: string;
  problem: string;
  /** The names of its steps. */
  steps: string[];
  /** Words that readers may search by; never shown. */
  keywords: string[];
  tags: string[];
  categoryLabel: string;
  category: string;
  difficulty: string;
  runtimes: string[];
  date: string;
  /** The day of the prompt's last change, where that is later than `date`. */
  changedOn?: string;
  issue: number;
}

/** What a result holds of an agent: what the pages show and filter by. */
export type StoredEntry = Omit<SearchEntry, 'slug' | 'problem' | 'steps' | 'keywords'>;

/** The fields that are searched, with how much a word in them says of what an agent is for, from 0 to 1. */
export const fieldWeights = {
  title: 1,
  tags: 1,
  keywords: 1,
  excerpt: 0.8,
  categoryLabel: 0.6,
  problem: 0.4,
  steps: 0.4,
} as const satisfies Partial<Record<keyof SearchEntry, number>>;

/** How the search index is made and loaded: the same for builds, pages and MCP. query.ts searches it. */
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
  processTerm: (term) => {
    const word = term.toLowerCase();
    return isStopWord(word) ? null : word;
  },
};

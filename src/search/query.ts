import type MiniSearch from 'minisearch';
import type { QueryCombination } from 'minisearch';
import { fieldWeights, type SearchEntry, type StoredEntry } from './fields.ts';
import { isStopWord, stemOf, weightOf } from './words.ts';

/** An agent that was found. */
export interface Hit extends StoredEntry {
  /** The slug. */
  id: string;
  /** How well it answers the query, from 0 to 1: 1 where every word is in its title, tags or keywords. */
  score: number;
  /** Whether it has every word. */
  whole: boolean;
}

/** The least score of a hit: less where a word of weight is in its title, tags or keywords; and the least share of the best. */
const least = { score: 0.35, strong: 0.25, ofBest: 0.5 };

/** Words are searched as they are: they were found and lowered in case before. */
const literal = { tokenize: (text: string) => [text], processTerm: (term: string) => term };

/** A word of a query, as an index has it. */
interface Found {
  /** How MiniSearch is asked for it. */
  query: QueryCombination;
  /** How well the agents that have it match it, from 0 to 1, by slug. */
  qualities: ReadonlyMap<string, number>;
}

interface Sum {
  points: number;
  words: number;
  strong: boolean;
}

/**
 * The agents that a query finds, the best first: those that have most of its words, rare words counting more than common
 * ones and a title more than a story. Words that say nothing do not count; a query without any other finds nothing.
 */
export function searchAgents(
  index: MiniSearch<SearchEntry>,
  query: string,
  fits: (agent: StoredEntry) => boolean,
): Hit[] {
  const words = wordsOf(query).map((word) => ({ ...findWord(index, word), weight: weightOf(word) }));
  const sums = new Map<string, Sum>();
  let possible = 0;
  for (const { qualities, weight } of words) {
    const rarity = weight * Math.log(1 + (index.documentCount + 1) / (Math.max(1, qualities.size) + 0.5));
    possible += rarity;
    for (const [id, quality] of qualities) {
      const sum = sums.get(id) ?? { points: 0, words: 0, strong: false };
      sum.points += rarity * quality;
      sum.words += 1;
      sum.strong ||= weight === 1 && quality === 1;
      sums.set(id, sum);
    }
  }
  const scores = new Map<string, number>();
  for (const [id, { points, strong }] of sums) {
    const score = points / possible;
    if (score < (strong ? least.strong : least.score)) continue;
    if (fits(index.getStoredFields(id) as unknown as StoredEntry)) scores.set(id, score);
  }
  const bound = least.ofBest * [...scores.values()].reduce((best, score) => Math.max(best, score), 0);
  // MiniSearch's own rank decides between equal points. Making its results is costly, so it makes only those of the hits.
  const boostDocument = (id: string) => ((scores.get(id) ?? -1) < bound ? 0 : 1);
  const ranked = index.search({ queries: words.map(({ query }) => query), combineWith: 'OR', boostDocument });
  return ranked
    .map((result) => ({ result, sum: sums.get(result.id) as Sum, rank: result.score / result.queryTerms.length }))
    .sort((a, b) => b.sum.points - a.sum.points || b.rank - a.rank || b.result.issue - a.result.issue)
    .map(({ result, sum }) => {
      const hit = { score: scores.get(result.id) as number, whole: sum.words === words.length };
      return Object.assign(result as unknown as StoredEntry & { id: string }, hit);
    });
}

/** The words of a query that say something, each once, in lower case. */
export function wordsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return [...new Set(words)].filter((word) => !isStopWord(word));
}

/** Finds a word, other forms of it, and words that it begins; where there are none, those spelled almost so. */
function findWord(index: MiniSearch<SearchEntry>, word: string): Found {
  const stem = stemOf(word);
  const begun = { queries: [stem], ...literal, prefix: mayBePrefix(stem) };
  const qualities = qualitiesOf(index, begun, word);
  if (qualities.size > 0 || word.length < 5) return { query: begun, qualities };
  const almost = { queries: [word], ...literal, fuzzy: word.length < 8 ? 1 : 2 };
  return { query: almost, qualities: qualitiesOf(index, almost, word) };
}

/** Two letters begin too many words; in scripts without an alphabet, one character is a word. */
function mayBePrefix(stem: string): boolean {
  return stem.length > 2 || !/^[\p{Script=Latin}\p{N}]+$/u.test(stem);
}

/** How well agents match a word, by slug: by the field, and by how near its word is. */
function qualitiesOf(index: MiniSearch<SearchEntry>, query: QueryCombination, word: string): Map<string, number> {
  const qualities = new Map<string, number>();
  const stem = stemOf(word);
  const nearness = (term: string) => (term === word || stemOf(term) === stem ? 1 : term.startsWith(stem) ? 0.7 : 0.6);
  for (const [field, weight] of Object.entries(fieldWeights)) {
    let last = '';
    let quality = 0;
    // MiniSearch calls it for every agent with a matching term in the field, and makes no result where it returns 0.
    const boostDocument = (id: string, term: string) => {
      if (term !== last) [last, quality] = [term, weight * nearness(term)];
      if (quality > (qualities.get(id) ?? 0)) qualities.set(id, quality);
      return 0;
    };
    index.search({ ...query, fields: [field], boostDocument });
  }
  return qualities;
}

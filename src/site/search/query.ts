import type MiniSearch from 'minisearch';
import type { QueryCombination } from 'minisearch';
import {
  fieldWeights,
  fold,
  isUnspaced,
  queryTerms,
  type SearchEntry,
  type StoredEntry,
  stemOf,
  weightOf,
} from './fields.ts';

/** An agent that was found. */
interface Hit extends StoredEntry {
  /** The slug. */
  id: string;
  /** How well it matches the query, from 0 to 1. 1 means that every word is in its title, tags or keywords. */
  score: number;
  /** Whether it has every word. */
  whole: boolean;
}

/**
 * The lowest score of a hit: for a query of one word, if it has one word of several, if that word is important and in its
 * title, tags or keywords (`strong`), and if it has `several` words. One word alone says little about what a reader wants. A
 * hit also needs at least the share `ofBest` of the best score.
 */
const least = { only: 0.35, one: 0.4, strong: 0.3, several: 0.15, ofBest: 0.5 };

/** Words are searched unchanged: they are already split and folded. */
const literal = { tokenize: (text: string) => [text], processTerm: (term: string) => term };

/** The matches of a word of a query. */
interface Found {
  /** The query for MiniSearch. */
  query: QueryCombination;
  /** How well agents match it, from 0 to 1, by slug. */
  qualities: ReadonlyMap<string, number>;
}

interface Sum {
  points: number;
  words: number;
  strong: boolean;
}

/**
 * Finds agents, the best first: those that match most words of the query. Rare words count more than common ones, and
 * the title counts more than the problem. Stop words are ignored; a query of stop words finds nothing.
 *
 * With `near`, it finds the agents that match best with any of the words: as many, or more of those that match alike.
 */
export function searchAgents(
  index: MiniSearch<SearchEntry>,
  query: string,
  fits: (agent: StoredEntry) => boolean,
  { near = 0 } = {},
): Hit[] {
  const words = queryTerms(query).map((word, at, { length }) => {
    return { ...findWord(index, word, at === length - 1), weight: weightOf(word) };
  });
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
  for (const [id, { points, words: had, strong }] of sums) {
    const score = points / possible;
    const kind = words.length === 1 ? 'only' : had > 1 ? 'several' : strong ? 'strong' : 'one';
    if (near === 0 && score < least[kind]) continue;
    if (fits(index.getStoredFields(id) as unknown as StoredEntry)) scores.set(id, score);
  }
  const best = [...scores.values()].sort((a, b) => b - a);
  const bound = near === 0 ? least.ofBest * (best[0] ?? 0) : (best[near - 1] ?? 0);
  // MiniSearch's rank breaks ties. Creating its results is expensive, so they are created only for hits.
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

/**
 * One or two Latin letters or digits. They are too common as a start, so only whole words are searched. In other
 * scripts, one character can be a word.
 */
const short = /^[\p{Script=Latin}\p{N}]{1,2}$/u;

/** Whether a query is so short that only whole words are searched, so that a longer query can find longer words. */
export function isTooShort(query: string): boolean {
  return short.test(fold(query.trim()));
}

/**
 * Finds a word, its other forms, and words that start with it; if there are none, words with a similar spelling. Only the
 * last word of a query may still be incomplete, so longer words match the others less.
 */
function findWord(index: MiniSearch<SearchEntry>, word: string, isLast: boolean): Found {
  const stem = stemOf(word);
  const byStart = { queries: [stem], ...literal, prefix: !short.test(stem) };
  const qualities = qualitiesOf(index, byStart, word, isLast ? 0.7 : 0.4);
  if (qualities.size > 0 || word.length < 5) return { query: byStart, qualities };
  const similar = { queries: [word], ...literal, fuzzy: word.length < 8 ? 1 : 2 };
  return { query: similar, qualities: qualitiesOf(index, similar, word, 0) };
}

/**
 * Returns how well agents match a word, by slug. This depends on the field and on how similar the matching term is: for a
 * longer word, it is at most `longer`. Typing mistakes are rare in the first letter, where they would make another word.
 */
function qualitiesOf(
  index: MiniSearch<SearchEntry>,
  query: QueryCombination,
  word: string,
  longer: number,
): Map<string, number> {
  const qualities = new Map<string, number>();
  const stem = stemOf(word);
  const unspaced = isUnspaced(word);
  const isSame = (term: string) => term === word || stemOf(term) === stem;
  const nearness = (term: string) => {
    if (unspaced || isSame(term)) return 1;
    return term.startsWith(stem) ? longer : term[0] === word[0] ? 0.6 : 0;
  };
  for (const [field, weight] of Object.entries(fieldWeights)) {
    let last = '';
    let quality = 0;
    // MiniSearch calls this for every agent with a matching term in the field. Returning 0 prevents a result.
    const boostDocument = (id: string, term: string) => {
      if (term !== last) [last, quality] = [term, weight * nearness(term)];
      if (quality > (qualities.get(id) ?? 0)) qualities.set(id, quality);
      return 0;
    };
    index.search({ ...query, fields: [field], boostDocument });
  }
  return qualities;
}

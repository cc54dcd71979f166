import type MiniSearch from 'minisearch';
import type { SearchResult } from 'minisearch';
import { fieldWeights, type SearchEntry, type StoredEntry } from './search-fields.ts';
import { isStopWord, stemOf, weightOf } from './search-words.ts';

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

interface Sum {
  result: SearchResult;
  points: number;
  /** How well MiniSearch ranks it: decides between equal points. */
  rank: number;
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
  const words = wordsOf(query);
  const sums = new Map<string, Sum>();
  let possible = 0;
  for (const word of words) {
    const results = resultsOf(index, word);
    const weight = weightOf(word);
    const rarity = weight * Math.log(1 + (index.documentCount + 1) / (Math.max(1, results.length) + 0.5));
    possible += rarity;
    for (const result of results) {
      const sum = sums.get(result.id) ?? { result, points: 0, rank: 0, words: 0, strong: false };
      const quality = qualityOf(result, word);
      sum.points += rarity * quality;
      sum.rank += result.score;
      sum.words += 1;
      sum.strong ||= weight === 1 && quality === 1;
      sums.set(result.id, sum);
    }
  }
  const fitting = [...sums.values()].filter(({ result }) => fits(stored(result)));
  fitting.sort((a, b) => b.points - a.points || b.rank - a.rank || stored(b.result).issue - stored(a.result).issue);
  const best = (fitting[0]?.points ?? 0) / possible;
  return fitting.flatMap(({ result, points, words: count, strong }) => {
    const score = points / possible;
    if (score < Math.max(strong ? least.strong : least.score, least.ofBest * best)) return [];
    return [{ ...stored(result), id: result.id, score, whole: count === words.length }];
  });
}

/** The words of a query that say something, each once, in lower case. */
export function wordsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return [...new Set(words)].filter((word) => !isStopWord(word));
}

/** The agents that have a word, another form of it, or a word that it begins; where there are none, one spelled almost so. */
function resultsOf(index: MiniSearch<SearchEntry>, word: string): SearchResult[] {
  const stem = stemOf(word);
  const options = { tokenize: (text: string) => [text], processTerm: (term: string) => term };
  const results = index.search(stem, { ...options, prefix: mayBePrefix(stem) });
  if (results.length > 0 || word.length < 5) return results;
  return index.search(word, { ...options, fuzzy: word.length < 8 ? 1 : 2 });
}

/** Two letters begin too many words; in scripts without an alphabet, one character is a word. */
function mayBePrefix(stem: string): boolean {
  return stem.length > 2 || !/^[\p{Script=Latin}\p{N}]+$/u.test(stem);
}

/** How well a result matches a word, from 0 to 1: by the field, and by how near its word is. */
function qualityOf({ match }: SearchResult, word: string): number {
  const stem = stemOf(word);
  let best = 0;
  for (const [term, fields] of Object.entries(match)) {
    const nearness = term === word || stemOf(term) === stem ? 1 : term.startsWith(stem) ? 0.7 : 0.6;
    for (const field of fields) best = Math.max(best, nearness * fieldWeights[field as keyof typeof fieldWeights]);
  }
  return best;
}

/** MiniSearch puts the stored fields of an agent beside its own. */
function stored(result: SearchResult): StoredEntry {
  return result as unknown as StoredEntry;
}

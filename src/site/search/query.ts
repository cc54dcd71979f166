import type MiniSearch from 'minisearch';
import type { Options, QueryCombination, SearchResult } from 'minisearch';

/**
 * Decides which words are searched, and which are forms of the same word. For English; other languages are unchanged.
 */

const stopWords = new Set(
  (
    'a about after all also am an and any are as at be because been before but by can could did do does doing down for ' +
    'from get gets getting give had has have he help helps her here him his how i if in into is it its just let like ' +
    'made make makes making me more most much my need needs no nor not now of off on once one or other our out over own ' +
    'per please same say says she should show so some such tell than that the their them then there these they thing ' +
    'things this those to too up us use used using very want wants was we were what when where which while who whom ' +
    'whose why will with without would you your'
  ).split(' '),
);

/** Whether a word, in lower case, is neither indexed nor searched. */
function isStopWord(word: string): boolean {
  return stopWords.has(word) || /^[a-z]$/.test(word);
}

/**
 * The stem of an English word: `updat` for update, updates, updated, and updating.
 *
 * It is always the start of the word, so that a prefix search finds every form, even while a reader types.
 */
export function stemOf(word: string): string {
  if (!/^[a-z]{4,}$/.test(word) || word === 'news') return word;
  const singular = /(?:x|ch|sh|ss)es$/.test(word)
    ? word.slice(0, -2)
    : /[^aius]s$/.test(word)
      ? word.slice(0, -1)
      : word;
  if (/.{4}ing$/.test(singular)) return withoutDouble(singular.slice(0, -3));
  if (/.{4}ed$/.test(singular) && !singular.endsWith('eed')) return withoutDouble(singular.slice(0, -2));
  return singular.replace(/^(.{4,}?)(?:ie|e|y)$/, '$1');
}

/** `plan` for `plann`, the rest of planned and planning. */
function withoutDouble(stem: string): string {
  return stem.replace(/([bdfgmnprt])\1$/, '$1');
}

/** Endings that make another kind of word of a stem. */
const endings = /(?:abl|al|at|er|ful|ibl|ion|ism|ist|it|iv|iz|less|ment|ness|or|ous)$/;

/** The stem of related words: `transl` for translate, translated, translation, and translator. */
export function rootOf(word: string): string {
  const stem = stemOf(word);
  const root = stem.replace(endings, '');
  return root.length < 5 || root === stem ? stem : rootOf(root);
}

/** Verbs that start requests of any kind. */
const weakWords = new Set(
  'analyze check create explain find generate improve look plan summarize turn write'.split(' ').map(stemOf),
);

/** How much a word counts, from 0 to 1. In "write a love poem", “write” counts least. */
export function weightOf(word: string): number {
  return weakWords.has(stemOf(word)) ? 0.3 : 1;
}

/** Latin letters that Unicode does not divide into a letter and marks, as people type them, and the final sigma. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
};

/**
 * Returns a text in lower case and without accents, in one Unicode form: `cafe` for `Café`, however it is encoded.
 *
 * Only Latin, Greek and Cyrillic letters lose their marks. In other scripts, marks distinguish words: が is not か.
 */
export function fold(text: string): string {
  const isAscii = /^[\s!-~]*$/.test(text);
  if (isAscii) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '$1')
    .toLowerCase()
    .replace(/[ßæœøłđðþħıς]/g, (letter) => plainLetters[letter] as string)
    .normalize('NFC');
}

const eastAsian = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]`;
const southeastAsian = String.raw`[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]`;

/**
 * Scripts without spaces between words, and how many characters a term of them has. In an alphabet, pairs of letters are
 * too common.
 */
const unspaced = [
  { start: new RegExp(`^${eastAsian}`, 'u'), length: 2 },
  { start: new RegExp(`^${southeastAsian}`, 'u'), length: 3 },
];

const unspacedRuns = new RegExp(`(${eastAsian}+|${southeastAsian}+)`, 'u');

/**
 * Returns the terms of a token of a text, which are indexed.
 *
 * In a run without spaces, a term starts at each character, so that any part of the run is found: 翻訳者 has 翻訳, 訳者
 * and 者.
 */
export function indexTerms(token: string): string[] {
  // Most tokens are ASCII words, or empty. Others may contain symbols, since MiniSearch divides text only at spaces and
  // punctuation.
  if (/^[a-z\d]*$/i.test(token)) return [token.toLowerCase()].filter((word) => word !== '' && !isStopWord(word));
  return partsOf(token).flatMap((part) => {
    const length = lengthOfTerms(part);
    return length === undefined ? [part] : [...part].map((_, at, all) => all.slice(at, at + length).join(''));
  });
}

/** Returns the terms to search for a query, each once. The terms of a run without spaces overlap: 翻訳, 訳者. */
export function queryTerms(query: string): string[] {
  const terms = partsOf(query).flatMap((part) => {
    const [length, characters] = [lengthOfTerms(part), [...part]];
    if (length === undefined || characters.length <= length) return [part];
    return characters.slice(length - 1).map((_, at) => characters.slice(at, at + length).join(''));
  });
  return [...new Set(terms)];
}

/** The words of a text without stop words, folded, and divided where a run without spaces begins or ends. */
function partsOf(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words
    .filter((word) => !isStopWord(word.normalize('NFC').toLowerCase()))
    .flatMap((word) => fold(word).split(unspacedRuns))
    .filter((part) => part !== '');
}

function lengthOfTerms(part: string): number | undefined {
  return unspaced.find(({ start }) => start.test(part))?.length;
}

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
  /** The synonyms in the catalog's settings of words in its short texts; never shown. */
  synonyms: string[];
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
export type StoredEntry = Omit<SearchEntry, 'slug' | 'problem' | 'steps' | 'keywords' | 'synonyms'>;

/** The searched fields, with how much a word in them says about an agent's purpose, from 0 to 1. */
const fieldWeights = {
  title: 1,
  tags: 1,
  keywords: 1,
  excerpt: 0.8,
  synonyms: 0.6,
  categoryLabel: 0.6,
  runtimes: 0.6,
  problem: 0.4,
  steps: 0.4,
} as const satisfies Partial<Record<keyof SearchEntry, number>>;

/** The options of the search index, the same for builds, pages and MCP. */
export const searchOptions = {
  idField: 'slug',
  fields: Object.keys(fieldWeights),
  storeFields: 'title excerpt tags category categoryLabel difficulty runtimes date changedOn issue'.split(' '),
  processTerm: indexTerms,
} satisfies Options<SearchEntry>;

/** An agent that was found. */
interface Hit extends StoredEntry {
  /** The slug. */
  id: string;
  /** How well it matches the query, up to 1, which means that every word is in its title, tags or keywords. */
  score: number;
  /** Whether it has every word. */
  whole: boolean;
}

/**
 * The lowest score of a hit: for a query of one word, if it has one word of several, if that word is rare, important and in
 * its title, tags or keywords (`strong`), and if it has `several` words. One word alone says little about what a reader
 * wants. A hit also needs at least the share `ofBest` of the best score.
 */
const least = { only: 0.35, one: 0.4, strong: 0.25, several: 0.15, ofBest: 0.4 };

/** A word is rare if at most this share of all agents has it, or only a few. */
const rare = { share: 0.3, few: 3 };

/** How much MiniSearch's rank changes the order. It counts in how many fields an agent has a word, and the title most. */
const rankWeight = 0.3;

/** How much of a query is searched, in characters: a text that a reader pastes must not stop the page. */
const mostOfQuery = 400;

/** The longest word for which similar spellings are searched. That takes time with the square of its length. */
const mostOfSimilar = 30;

/** Words are searched unchanged: they are already split and folded. */
const literal = { tokenize: (text: string) => [text], processTerm: (term: string) => term };

/** The matches of a word of a query. */
interface Found {
  /** The query for MiniSearch. */
  query: QueryCombination;
  /** How well agents match it, from 0 to 1, by slug. */
  qualities: ReadonlyMap<string, number>;
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
  const words = joinedWords(index, queryTerms(query.slice(0, mostOfQuery))).map((word, at, { length }) => {
    return { ...findWord(index, word, at === length - 1), weight: weightOf(word) };
  });
  const sums = new Map<string, { points: number; words: number; strong: boolean }>();
  let possible = 0;
  const most = Math.max(rare.few, rare.share * index.documentCount);
  for (const { qualities, weight } of words) {
    const rarity = weight * Math.log(1 + (index.documentCount + 1) / (Math.max(1, qualities.size) + 0.5));
    possible += rarity;
    for (const [id, quality] of qualities) {
      const sum = sums.get(id) ?? { points: 0, words: 0, strong: false };
      sum.points += rarity * quality;
      sum.words += 1;
      sum.strong ||= weight === 1 && quality === 1 && qualities.size <= most;
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
  // Creating MiniSearch's results is expensive, so they are created only for hits.
  const boostDocument = (id: string) => ((scores.get(id) ?? -1) < bound ? 0 : 1);
  const queries = words.map((word) => word.query);
  const ranked = index.search({ queries, combineWith: 'OR', boostDocument, boost: { title: 3 } });
  const rankOf = ({ score, queryTerms: { length } }: SearchResult) => score / length;
  const unit = rankWeight / Math.max(...ranked.map(rankOf));
  return ranked
    .map((result) => {
      const score = scores.get(result.id) as number;
      const hit = { score, order: score + unit * rankOf(result), whole: sums.get(result.id)?.words === words.length };
      return Object.assign(result as unknown as StoredEntry & { id: string }, hit);
    })
    .sort((a, b) => b.order - a.order || b.issue - a.issue);
}

/** Joins two words in a row if agents have them as one: `runbook` for run book. */
function joinedWords(index: MiniSearch<SearchEntry>, [word, next, ...rest]: readonly string[]): string[] {
  if (word === undefined) return [];
  if (next === undefined) return [word];
  const joined = word + next;
  const isWord = joined.length > 5 && qualitiesOf(index, startOf(stemOf(joined)), joined, 0).size > 0;
  return isWord ? [joined, ...joinedWords(index, rest)] : [word, ...joinedWords(index, [next, ...rest])];
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

/** A query for words that start like this. */
function startOf(start: string): QueryCombination {
  return { queries: [start], ...literal, prefix: !short.test(start) };
}

/**
 * Finds a word, its other forms, related words, and words that start with it; if there are none, words with a similar
 * spelling. Only the last word of a query may still be incomplete, so longer words match the others less.
 */
function findWord(index: MiniSearch<SearchEntry>, word: string, isLast: boolean): Found {
  const byStart = startOf(rootOf(word));
  const qualities = qualitiesOf(index, byStart, word, isLast ? 0.7 : 0.4);
  if (qualities.size > 0 || word.length < 5 || word.length > mostOfSimilar) return { query: byStart, qualities };
  // To MiniSearch, two letters in the wrong order are two mistakes.
  const swapped = Array.from(
    word,
    (_, at) => word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2),
  );
  const fuzzy = (term: string) => term === word && (word.length < 8 ? 1 : 2);
  const similar = { queries: [word, ...swapped], ...literal, fuzzy };
  return { query: similar, qualities: qualitiesOf(index, similar, word, 0, 0.6) };
}

/**
 * Returns how well agents match a word, by slug. This depends on the field and on how similar the matching term is: for a
 * longer word, it is at most `longer`, and for a `similar` spelling, at most that. Typing mistakes are rare in the first
 * letter, where they would make another word.
 */
function qualitiesOf(
  index: MiniSearch<SearchEntry>,
  query: QueryCombination,
  word: string,
  longer: number,
  similar = 0,
): Map<string, number> {
  const qualities = new Map<string, number>();
  const [stem, root] = [stemOf(word), rootOf(word)];
  // A term of a text without spaces begins and ends anywhere in a word.
  const unspaced = lengthOfTerms(word) !== undefined;
  const nearness = (term: string) => {
    if (unspaced || term === word || stemOf(term) === stem) return 1;
    if (rootOf(term) === root) return 0.7;
    return term.startsWith(stem) ? longer : term[0] === word[0] ? similar : 0;
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

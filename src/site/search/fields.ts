import type { Options } from 'minisearch';

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

/** What related words start with: `transl` for translate, translated, translation, and translator. */
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
  if (isAscii(text)) return text.toLowerCase();
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

/** Whether a term is from a text without spaces. Such a term begins and ends anywhere in a word. */
export function isUnspaced(term: string): boolean {
  return lengthOfTerms(term) !== undefined;
}

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

function isAscii(text: string): boolean {
  return /^[\s!-~]*$/.test(text);
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
  /** What the catalog's settings call synonyms of words in its short texts; never shown. */
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
export const fieldWeights = {
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

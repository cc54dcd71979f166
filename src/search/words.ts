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
export function isStopWord(word: string): boolean {
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

/** Verbs that start requests of any kind. */
const weakWords = new Set(
  'analyze check create explain find generate improve look plan summarize turn write'.split(' ').map(stemOf),
);

/** How much a word counts, from 0 to 1. In "write a love poem", “write” counts least. */
export function weightOf(word: string): number {
  return weakWords.has(stemOf(word)) ? 0.3 : 1;
}

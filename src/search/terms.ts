import { isStopWord } from './words.ts';

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

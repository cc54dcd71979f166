/** How many words are compared at a time. */
const gramWords = 5;

/** Texts with fewer runs of words than this are too short to compare. */
const fewestGrams = 40;

/** One run of words in this many is looked up to find candidates, which are then compared whole. It is a power of 2. */
const sampled = 8;

/** How many texts are compared whole with a new one. */
const mostCandidates = 3;

/** A text that repeats another one. */
export interface Repetition {
  /** The name of the other text. */
  name: string;
  /** The share of the text's runs of five words that the other one has too, from 0 to 1. */
  share: number;
}

interface Entry {
  name: string;
  /** A hash of each run of words. */
  grams: Int32Array;
}

/**
 * An index of texts that finds the one a text repeats. Each run of words belongs to the first text that has it, so adding
 * and finding take time in proportion to the text, however many texts share a passage.
 */
export class TextIndex {
  readonly #owners = new Map<number, number>();
  readonly #texts: Entry[] = [];

  /** Adds a text, and returns the earlier one that it repeats most, if that has at least `least` of it; else null. */
  add(name: string, text: string, least: number): Repetition | null {
    const grams = gramsOf(text);
    const found = this.#find(grams, least);
    for (const gram of grams) {
      if ((gram & (sampled - 1)) === 0 && !this.#owners.has(gram)) this.#owners.set(gram, this.#texts.length);
    }
    this.#texts.push({ name, grams });
    return found;
  }

  #find(grams: Int32Array, least: number): Repetition | null {
    if (grams.length < fewestGrams) return null;
    const votes = new Map<number, number>();
    for (const gram of grams) {
      const owner = (gram & (sampled - 1)) === 0 ? this.#owners.get(gram) : undefined;
      if (owner !== undefined) votes.set(owner, (votes.get(owner) ?? 0) + 1);
    }
    const candidates = [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, mostCandidates);
    const own = candidates.length === 0 ? new Set<number>() : new Set(grams);
    let best: Repetition | null = null;
    for (const [owner] of candidates) {
      const other = this.#texts[owner] as Entry;
      const share = new Set(other.grams.filter((gram) => own.has(gram))).size / own.size;
      if (share >= least && share > (best?.share ?? 0)) best = { name: other.name, share };
    }
    return best;
  }
}

/** Returns a hash of each run of five words. Case, punctuation and line breaks make no difference. */
function gramsOf(text: string): Int32Array {
  const words = wordHashes(text);
  const grams = new Int32Array(Math.max(0, words.length - gramWords + 1));
  for (let index = 0; index < grams.length; index += 1) {
    let hash = 0;
    for (let word = 0; word < gramWords; word += 1) hash = Math.imul(hash, 31) + (words[index + word] as number);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    grams[index] = hash ^ (hash >>> 13);
  }
  return grams;
}

/** Returns a hash of each word (FNV-1a). In scripts without spaces, each character is a word. */
function wordHashes(text: string): number[] {
  const lower = text.toLowerCase();
  const words: number[] = [];
  let hash = 0;
  for (let index = 0; index <= lower.length; index += 1) {
    // After the last character, the code is NaN, which is no letter either.
    const code = lower.charCodeAt(index);
    const letter = isLetter(code);
    if (letter) hash = Math.imul((hash === 0 ? 0x811c9dc5 : hash) ^ code, 0x01000193);
    if (hash !== 0 && (!letter || (code >= 0x3040 && code < 0xa000))) {
      words.push(hash);
      hash = 0;
    }
  }
  return words;
}

function isLetter(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
  return code >= 0xc0 && (code < 0x2000 || code > 0x303f) && (code < 0xff00 || code > 0xff0f);
}

import { distance } from 'fastest-levenshtein';
import { compareText } from '../../lib/text.ts';
import type { Agent } from '../../schema/agent.ts';
import { type Diagnostic, diagnose, locationAt } from '../../schema/diagnostics/diagnostic.ts';
import { promptMessages } from '../../schema/messages/prompt.ts';
import { textMessages } from '../../schema/messages/texts.ts';
import { inFrontMatter } from '../check/calendar.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { placeholderFindings } from '../parse/placeholders.ts';
import { pathOf } from '../read.ts';

/** How many words are compared at a time. */
const gramWords = 5;

/** Texts with fewer runs of words than this are too short to compare. */
const fewestGrams = 40;

/** One run of words in this many is looked up to find candidates, which are then compared whole. It is a power of 2. */
const sampled = 8;

/** How many texts are compared whole with a new one. */
const mostCandidates = 3;

/** The share of a prompt from which on it is reported. */
const leastRepeated = 0.5;

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

  /** Adds a text, and returns the earlier one that it repeats most, if that has at least half of it; else null. */
  add(name: string, text: string, least = leastRepeated) {
    const grams = gramsOf(text);
    const repetition = this.#find(grams, least);
    for (const gram of grams) {
      if ((gram & (sampled - 1)) === 0 && !this.#owners.has(gram)) this.#owners.set(gram, this.#texts.length);
    }
    this.#texts.push({ name, grams });
    return repetition;
  }

  /** Returns the name of the repeated text, and the share of the runs of five words that it has too, from 0 to 1; or null. */
  #find(grams: Int32Array, least: number) {
    if (grams.length < fewestGrams) return null;
    const votes = new Map<number, number>();
    for (const gram of grams) {
      const owner = (gram & (sampled - 1)) === 0 ? this.#owners.get(gram) : undefined;
      if (owner !== undefined) votes.set(owner, (votes.get(owner) ?? 0) + 1);
    }
    const candidates = [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, mostCandidates);
    const own = candidates.length === 0 ? new Set<number>() : new Set(grams);
    let best: { name: string; share: number } | null = null;
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

/** The editorial rules that compare agents with each other. */
export const rulesAcross = ['editorial/near-duplicate', 'editorial/similar-tag'] as const;

type Complete = ParsedFolder & { written: Agent };

/** Applies the rules that compare agents. An agent is compared with those published or scheduled before it; drafts come last. */
export function findingsAcross(folders: readonly ParsedFolder[]): Diagnostic[] {
  const complete = folders
    .filter((folder): folder is Complete => folder.written !== null && !folder.schedule.withdrawn)
    .sort((a, b) => rank(a) - rank(b) || compareText(a.written.date, b.written.date) || compareText(a.slug, b.slug));
  return [...nearDuplicates(complete), ...similarTags(complete)];
}

function rank({ schedule: { issue, draft } }: ParsedFolder): number {
  return draft ? Number.MAX_SAFE_INTEGER : (issue ?? Number.MAX_SAFE_INTEGER - 1);
}

/** Reports prompts of which at least half is in the prompt of an earlier agent, except those that still have placeholders. */
function nearDuplicates(folders: readonly Complete[]): Diagnostic[] {
  const index = new TextIndex();
  return folders.flatMap(({ slug, written }) => {
    const { prompt } = written.texts();
    if (placeholderFindings(prompt).length > 0) return [];
    const repetition = index.add(slug, prompt);
    if (repetition === null) return [];
    return diagnose({
      code: 'editorial/near-duplicate',
      slug,
      file: pathOf(slug, 'prompt.txt'),
      text: prompt,
      location: locationAt(prompt, 0, prompt.length),
      ...promptMessages.promptRepeats(repetition.share, repetition.name),
    });
  });
}

/** Reports tags that are close to one that more agents have or, with as many, an earlier agent. */
function similarTags(folders: readonly Complete[]): Diagnostic[] {
  const uses = new Map<string, number>();
  for (const { written } of folders) for (const tag of written.tags) uses.set(tag, (uses.get(tag) ?? 0) + 1);
  // Sorting is stable, so tags with as many uses stay in the order of their first use.
  const tags = [...uses.keys()].sort((a, b) => (uses.get(b) ?? 0) - (uses.get(a) ?? 0));
  const nearest = new Map<string, string>();
  const byStem = new Map<string, string>();
  const byInitial = new Map<string, string[]>();
  for (const tag of tags) {
    const others = byInitial.get(tag.charAt(0)) ?? [];
    const near = byStem.get(stem(tag)) ?? others.find((other) => isClose(tag, other));
    if (near === undefined) byStem.set(stem(tag), tag);
    else nearest.set(tag, near);
    others.push(tag);
    byInitial.set(tag.charAt(0), others);
  }
  return folders.flatMap((folder) =>
    folder.written.tags.flatMap((tag, index) => {
      const near = nearest.get(tag);
      if (near === undefined) return [];
      const wording = textMessages.similarTag(tag, near, uses.get(near) ?? 0);
      return inFrontMatter(folder, ['tags', index], 'editorial/similar-tag', wording);
    }),
  );
}

/** A tag without hyphens and the ending of a plural, which make no difference. */
function stem(tag: string): string {
  return tag.replaceAll('-', '').replace(/(?<=...)s$/, '');
}

/** Whether two tags differ in few letters of a long word, but not in a number, such as a version. */
function isClose(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  const most = shorter >= 10 ? 2 : 1;
  if (shorter < 6 || Math.abs(a.length - b.length) > most || distance(a, b) > most) return false;
  return a.replace(/\D/g, '') === b.replace(/\D/g, '');
}

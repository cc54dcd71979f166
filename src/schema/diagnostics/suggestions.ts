import { closest, distance } from 'fastest-levenshtein';

/** Returns the one of `names` that `word` is most likely a misspelling of, in any case, or undefined. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const lower = word.toLowerCase();
  const candidates = names.map((name) => name.toLowerCase());
  const best = closest(lower, candidates);
  // Two swapped letters are one mistake, but count as two changes.
  const sorted = (text: string) => [...text].sort().join('');
  const near = distance(lower, best) <= Math.max(1, Math.floor(word.length / 3)) || sorted(lower) === sorted(best);
  return near ? names[candidates.indexOf(best)] : undefined;
}

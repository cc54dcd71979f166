import { closest, distance } from 'fastest-levenshtein';

/** Returns the one of `names` that `word` is most likely a misspelling of, in any case, or undefined. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const lower = word.toLowerCase();
  const known = names.map((name) => name.toLowerCase());
  const best = closest(lower, known);
  // Two swapped letters are one mistake, but count as two changes.
  const sorted = (text: string) => [...text].sort().join('');
  const near = distance(lower, best) <= Math.max(1, Math.floor(word.length / 3)) || sorted(lower) === sorted(best);
  return near ? names[known.indexOf(best)] : undefined;
}

/**
 * Returns the indexes of a longest subsequence of `values` that never falls; if there are several, the one with the
 * earliest values.
 */
export function longestRise(values: readonly string[]): Set<number> {
  // Works backward to find the length of the longest subsequence that starts at each index. `starts[n]` is the greatest
  // value that starts one of length n + 1, so `starts` never rises.
  const starts: string[] = [];
  const lengths: number[] = [];
  for (let index = values.length - 1; index >= 0; index -= 1) {
    const value = values[index] as string;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as string) >= value) low = middle + 1;
      else high = middle;
    }
    starts[low] = value;
    lengths[index] = low + 1;
  }
  const kept = new Set<number>();
  let wanted = starts.length;
  for (const [index, length] of lengths.entries()) {
    // The value is not less than the last one kept: otherwise, its length would be greater.
    if (length !== wanted) continue;
    kept.add(index);
    wanted -= 1;
  }
  return kept;
}

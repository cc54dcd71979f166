/** How many line numbers are named before the rest is only counted. */
const named = 10;

/** Says which lines of a file of JSON lines were passed over: each number from 1, the first ten of them. */
export function leftOut(file: string, numbers: readonly number[], what: string): string {
  const more = numbers.length - named;
  const list = numbers.slice(0, named).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return numbers.length === 1
    ? `Left out line ${list} of ${file}: it is no whole ${what}.\n`
    : `Left out lines ${list} of ${file}: they are no whole ${what}s.\n`;
}

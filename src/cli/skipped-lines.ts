/** How many line numbers are listed before the rest is only counted. */
const listed = 10;

/** Says which lines of a file of JSON lines were skipped, by their numbers from 1. */
export function skippedLines(file: string, numbers: readonly number[]): string {
  const more = numbers.length - listed;
  const list = numbers.slice(0, listed).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `Skipped ${numbers.length === 1 ? 'line' : 'lines'} ${list} of ${file}: incomplete or invalid.\n`;
}

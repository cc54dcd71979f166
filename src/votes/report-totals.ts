import { csv } from '../text-safety/csv.ts';
import type { LiveTotal } from './database-reading.ts';
import { table } from './report-text.ts';

/** Renders totals for a terminal. Ends with a newline. */
export function totalsText(totals: readonly LiveTotal[]): string {
  if (totals.length === 0) return 'No votes.\n';
  const rows = totals.map(({ slug, yes, no }) => [slug, ...[yes + no, yes, no].map(String)]);
  return `${table([['agent', 'votes', 'yes', 'no'], ...rows])}\n`;
}

/** Renders totals as CSV, an agent on each line. */
export function totalsCsv(totals: readonly LiveTotal[]): string {
  return csv(
    ['slug', 'votes', 'yes', 'no'],
    totals.map(({ slug, yes, no }) => [slug, yes + no, yes, no]),
  );
}

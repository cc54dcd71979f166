import { csv } from '../text-safety/csv.ts';
import type { SubscriberEntry } from './export.ts';

/** Renders the entries as CSV: time, email, list, note. Several notes share one field, one on each line. */
export function toCsv(entries: readonly SubscriberEntry[]): string {
  return csv(
    ['time', 'email', 'list', 'note'],
    entries.map(({ time, email, list, notes }) => [time, email, list, notes.join('\n')]),
  );
}

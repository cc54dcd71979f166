import { csv } from '../text-safety/csv.ts';
import type { SignupEntry } from './export.ts';

/** Renders the entries as CSV: time, email, list, note. Several notes are on lines of their own in one field. */
export function toCsv(entries: readonly SignupEntry[]): string {
  return csv(
    ['time', 'email', 'list', 'note'],
    entries.map(({ time, email, list, notes }) => [time, email, list, notes.join('\n')]),
  );
}

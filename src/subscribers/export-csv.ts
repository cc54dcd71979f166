import { csv } from '../text-safety/csv.ts';
import type { SubscriberEntry } from './export.ts';

/**
 * Renders the entries as CSV: time, email, list, note, and the consent, whose fields are empty if there is none. Several
 * notes share one field, one on each line.
 */
export function toCsv(entries: readonly SubscriberEntry[]): string {
  return csv(
    ['time', 'email', 'list', 'note', 'requested', 'form', 'confirmed', 'unsubscribed'],
    entries.map(({ time, email, list, notes, consent }) => [
      time,
      email,
      list,
      notes.join('\n'),
      ...[consent?.requested, consent?.form, consent?.confirmed, consent?.unsubscribed].map((text) => text ?? ''),
    ]),
  );
}

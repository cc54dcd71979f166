import { readLines } from '../journal/lines.ts';
import { parseSubscription } from './line.ts';
import type { ListName, SubscriberLog } from './provider.ts';

/** One address on one list, no matter how often it subscribed. */
export interface SubscriberEntry {
  /** When it first subscribed within the filter: RFC 3339, UTC. */
  time: string;
  email: string;
  list: ListName;
  /** Its different notes, oldest first. */
  notes: string[];
}

export interface ExportFilter {
  list?: ListName | undefined;
  /** Only subscriptions from this time on, including those that repeat an earlier one. */
  since?: Date | undefined;
}

/**
 * Reads the file of subscribers: each address once per list, in any case, ordered by its first subscription.
 *
 * Unreadable lines are left out, with a warning that has the line number. A missing file has no subscribers. A server
 * may be running.
 */
export async function readSubscribers(
  path: string,
  filter: ExportFilter,
  log: SubscriberLog,
): Promise<SubscriberEntry[]> {
  const entries = new Map<string, SubscriberEntry>();
  let number = 0;
  for await (const bytes of readLines(path)) {
    number += 1;
    const subscription = parseSubscription(bytes);
    if (subscription === undefined) {
      log.warn({ file: path, line: number }, 'A line of the subscriber file cannot be read and was left out.');
      continue;
    }
    const { time, email, list, note } = subscription;
    if (filter.list !== undefined && filter.list !== list) continue;
    if (filter.since !== undefined && Date.parse(time) < filter.since.getTime()) continue;
    const key = `${list} ${email.toLowerCase()}`;
    const entry = entries.get(key) ?? { time, email, list, notes: [] };
    if (note && !entry.notes.includes(note)) entry.notes.push(note);
    entries.set(key, entry);
  }
  return [...entries.values()];
}

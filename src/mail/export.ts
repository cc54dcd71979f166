import { groupBy } from '../lib/groups.ts';
import { columnsText, csv, visible } from '../lib/text.ts';
import { parseLine, readLines } from '../storage/line-file.ts';
import { type ListName, listNames, type StoredSubscription, type SubscriberLog } from './provider.ts';
import { SubscriptionIndex, storedLine, subscriberLogs } from './subscribers-file.ts';

/** One address on one list, no matter how often it subscribed. */
export type SubscriberEntry = ReturnType<typeof subscriberEntries>[number];

type Consent = ReturnType<typeof consentOf>;

/** Whether an address gets the emails of a list: it confirmed, was asked to, or left the list. */
export type ConsentState = 'confirmed' | 'waiting' | 'unsubscribed';

/** Returns the state of a consent; null if the address was never asked. */
export function stateOf(consent: Consent): ConsentState | null {
  if (consent === null) return null;
  if (consent.unsubscribed !== null) return 'unsubscribed';
  return consent.confirmed === null ? 'waiting' : 'confirmed';
}

export interface ExportFilter {
  list?: ListName | undefined;
  /** Only subscriptions from this time on, including those that repeat an earlier one. */
  since?: Date | undefined;
}

/**
 * Reads the file of subscribers and its rotated files: each address once per list, in any case, ordered by its first
 * subscription.
 *
 * Unreadable lines are left out, with a warning that has the file and the line number. A missing file has no
 * subscribers. A server may be running.
 */
export async function readSubscribers(path: string, filter: ExportFilter, log: SubscriberLog) {
  const index = new SubscriptionIndex();
  for (const file of (await subscriberLogs(path)).files) {
    let number = 0;
    for await (const bytes of readLines(file)) {
      number += 1;
      const line = parseLine(bytes, storedLine);
      if (line !== undefined) index.add(line);
      else log.warn({ file, line: number }, 'A line of the subscriber file cannot be read and was left out.');
    }
  }
  return subscriberEntries(index.all, filter);
}

/**
 * Joins the subscriptions of each address to each list, in the order of the first ones. The time is the time of the first
 * subscription within the filter: RFC 3339, UTC. The notes are the different ones, oldest first. The consent is null if the
 * address was never asked to confirm, as without a mail server.
 */
export function subscriberEntries(all: readonly StoredSubscription[], { list, since }: ExportFilter) {
  const matching = all.filter(
    (each) => (list ?? each.list) === each.list && (since === undefined || Date.parse(each.time) >= since.getTime()),
  );
  const groups = groupBy(matching, ({ list, email }) => [`${list} ${email.toLowerCase()}`]);
  return [...groups.values()].map((subscriptions) => {
    const { time, email, list } = subscriptions[0] as StoredSubscription;
    const notes = [...new Set(subscriptions.map(({ note }) => note).filter((note) => note))] as string[];
    return { time, email, list, notes, consent: consentOf(subscriptions) };
  });
}

/**
 * What an address consented to: the subscription that it last confirmed, or else the last one. The form is the version of the
 * form's text, null if a program subscribed that address.
 */
function consentOf(subscriptions: readonly StoredSubscription[]) {
  const asked = subscriptions.filter(({ pending }) => pending);
  const last =
    asked.findLast(({ confirmed, unsubscribed }) => confirmed !== undefined && unsubscribed === undefined) ??
    asked.findLast(({ confirmed }) => confirmed !== undefined) ??
    asked.at(-1);
  if (last === undefined) return null;
  const { time, form = null, confirmed = null, unsubscribed = null } = last;
  return { requested: time, form, confirmed, unsubscribed };
}

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

/** One address with all of its lists. */
interface Address {
  /** As the reader first wrote it. */
  email: string;
  /** When it first subscribed, RFC 3339, UTC. */
  time: string;
  lists: ListName[];
  /** What to say about lists: that one waits for the confirmation of its address, or that the address left it. */
  remarks: Partial<Record<ListName, string>>;
}

/** Joins the entries of each address, in any case, in the order of the entries. */
export function byAddress(entries: readonly SubscriberEntry[]): Address[] {
  const addresses = new Map<string, Address>();
  for (const { email, time, list, consent } of entries) {
    const key = email.toLowerCase();
    const entry = addresses.get(key);
    const lists = listNames.filter((name) => name === list || entry?.lists.includes(name));
    const remarks = { ...entry?.remarks, ...remarkOn(list, consent) };
    addresses.set(key, { email, time, ...entry, lists, remarks });
  }
  return [...addresses.values()];
}

function remarkOn(list: ListName, consent: Consent): Address['remarks'] {
  const state = stateOf(consent);
  return state === null || state === 'confirmed' ? {} : { [list]: ` (${state})` };
}

/** Renders addresses for a terminal, one on each line: address, lists, time. Empty if there are none. */
export function subscribersText(addresses: readonly Address[]): string {
  const rows = addresses.map(({ email, lists, time, remarks }) => {
    const named = lists.map((list) => `${list}${remarks[list] ?? ''}`).join(', ');
    return [visible(email), named, visible(time)];
  });
  return rows.length === 0 ? '' : `${columnsText(rows)}\n`;
}

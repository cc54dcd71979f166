import { visible } from '../text-safety/printable.ts';
import { type Consent, type SubscriberEntry, stateOf } from './export.ts';
import { type ListName, listNames } from './provider.ts';

/** One address with all of its lists. */
export interface Address {
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
    const known = addresses.get(key);
    const lists = listNames.filter((name) => name === list || known?.lists.includes(name));
    const remarks = { ...known?.remarks, ...remarkOn(list, consent) };
    addresses.set(key, { email, time, ...known, lists, remarks });
  }
  return [...addresses.values()];
}

function remarkOn(list: ListName, consent: Consent | null): Address['remarks'] {
  const state = stateOf(consent);
  return state === null || state === 'confirmed' ? {} : { [list]: ` (${state})` };
}

/** Renders addresses for a terminal, one on each line: address, lists, time. Empty if there are none. */
export function subscribersText(addresses: readonly Address[]): string {
  const rows = addresses.map(({ email, lists, time, remarks }) => {
    const named = lists.map((list) => `${list}${remarks[list] ?? ''}`).join(', ');
    return [visible(email), named, visible(time)] as const;
  });
  const [first, second] = [widest(rows.map(([email]) => email)), widest(rows.map(([, lists]) => lists))];
  return rows.map(([email, lists, time]) => `${email.padEnd(first)}  ${lists.padEnd(second)}  ${time}\n`).join('');
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}

import { visible } from '../text-safety/printable.ts';
import type { SignupEntry } from './export.ts';
import { type ListName, listNames } from './provider.ts';

/** One address with all the lists that it is on. */
export interface Address {
  /** As it was first written. */
  email: string;
  /** When it first signed up, RFC 3339, UTC. */
  time: string;
  lists: ListName[];
}

/** Joins the entries of each address, whatever its case, in the order of the entries. */
export function byAddress(entries: readonly SignupEntry[]): Address[] {
  const addresses = new Map<string, Address>();
  for (const { email, time, list } of entries) {
    const key = email.toLowerCase();
    const known = addresses.get(key);
    const lists = listNames.filter((name) => name === list || known?.lists.includes(name));
    addresses.set(key, { email, time, ...known, lists });
  }
  return [...addresses.values()];
}

/** Renders addresses for a terminal, a line each: address, lists, time. Empty without addresses. */
export function signupsText(addresses: readonly Address[]): string {
  const rows = addresses.map(({ email, lists, time }) => [visible(email), lists.join(', '), visible(time)] as const);
  const [first, second] = [widest(rows.map(([email]) => email)), widest(rows.map(([, lists]) => lists))];
  return rows.map(([email, lists, time]) => `${email.padEnd(first)}  ${lists.padEnd(second)}  ${time}\n`).join('');
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}

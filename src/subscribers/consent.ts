import { addressHash } from './mail-key.ts';
import type { ListName, SubscriptionRecord, SubscriptionRecords } from './provider.ts';
import type { Claims } from './tokens.ts';

/** What the rules about consent need to know. */
export interface ConsentTools {
  records: SubscriptionRecords;
  /** The key of tokens and pseudonyms (mail-key.ts). */
  key: Buffer;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Confirms a subscription. False if it cannot be confirmed any more: it was erased, or its reader left the list.
 *
 * The time is later than any suppression of the address, also if the clock went back since then.
 */
export async function confirm({ id }: Claims, { records, key, now }: ConsentTools): Promise<boolean> {
  const [record] = await records.find({ id });
  if (record === undefined || record.unsubscribed !== undefined) return false;
  if (record.confirmed !== undefined) return true;
  const suppressed = (await records.suppressions()).get(addressHash(record.email, key));
  const earliest = suppressed === undefined ? 0 : Date.parse(suppressed) + 1;
  await records.mark(id, 'confirmed', new Date(Math.max(now(), earliest)).toISOString());
  return true;
}

/**
 * Ends all subscriptions of an address to a list, also newer ones than that of the link. If they were erased or ended
 * before, there is nothing to do.
 */
export async function unsubscribe({ id }: Claims, { records, now }: ConsentTools): Promise<void> {
  const [record] = await records.find({ id });
  if (record === undefined) return;
  const { email, list } = record;
  const open = (await records.find({ email })).filter((each) => each.list === list && each.unsubscribed === undefined);
  if (open.length > 0) await records.mark(id, 'unsubscribed', new Date(now()).toISOString());
}

/** Someone who gets mails: a confirmed address, and the subscription that links to unsubscribe are made for. */
export type Recipient = Pick<SubscriptionRecord, 'id' | 'email' | 'list'>;

/** Everyone who gets the mails of a list: each address once, in the order in which they subscribed. */
export async function recipients(
  list: ListName,
  { records, key }: Pick<ConsentTools, 'key'> & { records: Pick<SubscriptionRecords, 'find' | 'suppressions'> },
): Promise<Recipient[]> {
  const suppressions = await records.suppressions();
  const byAddress = new Map<string, Recipient>();
  for (const record of await records.find({ list })) {
    const address = record.email.toLowerCase();
    if (!byAddress.has(address) && isActive(record, suppressions, key)) byAddress.set(address, record);
  }
  return [...byAddress.values()];
}

/** Whether a subscription gets mails: it was confirmed, not ended, and confirmed after its address was suppressed. */
export function isActive(record: SubscriptionRecord, suppressions: ReadonlyMap<string, string>, key: Buffer): boolean {
  const { email, confirmed, unsubscribed } = record;
  if (confirmed === undefined || unsubscribed !== undefined) return false;
  const suppressed = suppressions.size === 0 ? undefined : suppressions.get(addressHash(email, key));
  return suppressed === undefined || Date.parse(confirmed) > Date.parse(suppressed);
}

/** A mailbox gets at most this many mails that ask for a confirmation in `askWindowMs`, for all lists and its addresses. */
const mostAsks = 3;
const askWindowMs = 7 * 24 * 60 * 60 * 1000;

/** Requests of an address for the same list within this time share one mail. */
const sameAskMs = 10 * 60 * 1000;

/**
 * Returns a stored subscription if its address should be asked to confirm it, else null. Not if it gets the mails of the list
 * already, and not too often: anyone can type any address into the form.
 */
export async function toAsk(id: string, { records, key }: ConsentTools): Promise<SubscriptionRecord | null> {
  const [asking] = await records.find({ id });
  if (asking === undefined || asking.confirmed !== undefined || asking.unsubscribed !== undefined) return null;
  const all = await records.find({ mailbox: asking.email });
  const isSame = ({ email, list }: SubscriptionRecord) =>
    list === asking.list && email.toLowerCase() === asking.email.toLowerCase();
  const suppressions = await records.suppressions();
  if (all.some((record) => isSame(record) && isActive(record, suppressions, key))) return null;
  const age = ({ time }: SubscriptionRecord) => Date.parse(asking.time) - Date.parse(time);
  const position = all.findIndex((record) => record.id === id);
  const asked = all.slice(0, position).filter((record) => record.pending && age(record) < askWindowMs);
  const isWaiting = (record: SubscriptionRecord) =>
    isSame(record) && record.confirmed === undefined && record.unsubscribed === undefined && age(record) < sameAskMs;
  return asked.length >= mostAsks || asked.some(isWaiting) ? null : asking;
}

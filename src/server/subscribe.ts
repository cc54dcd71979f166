import { randomUUID } from 'node:crypto';
import { storedNote, subscribeRequest } from '../schema/requests.ts';
import type { Confirmations } from '../subscribers/confirmation-requests.ts';
import { SubscriptionFailed } from '../subscribers/failure.ts';
import type { SubscriberStore, Subscription } from '../subscribers/provider.ts';
import type { Fields } from './body.ts';
import { Refusal } from './errors.ts';
import { isTrapped, parseBody, unlessLogged } from './feedback.ts';
import type { Limit } from './limits.ts';

export interface SubscribeParts {
  subscribers: SubscriberStore;
  /** Asks readers to confirm; null if they need not. */
  confirmations: Confirmations | null;
  limit: Limit;
}

/**
 * Stores a subscription (C4.7 to C4.9). Resolves with the headers of the limit once the provider has it. A valid request
 * that fills the honeypot gets the same answer and is not stored.
 *
 * Throws Refusal: `invalid_body`, `rate_limited`, `upstream_failed`.
 */
export async function takeSubscription(fields: Fields, address: string, parts: SubscribeParts) {
  const { subscribers, confirmations, limit } = parts;
  const { email, list, note: given } = parseBody(subscribeRequest, fields);
  if (isTrapped(fields)) return {};
  const note = storedNote(given);
  const headers = await limit.take(address);
  const subscription: Subscription = { id: randomUUID(), time: new Date().toISOString(), email, list };
  if (note !== undefined) subscription.note = note;
  if (typeof fields.form === 'string' && /^[0-9a-f]{12}$/.test(fields.form)) subscription.form = fields.form;
  if (confirmations !== null) subscription.pending = true;
  try {
    const outcome = await subscribers.add(subscription);
    if (outcome === 'invalid') throw new Refusal('invalid_body', '`email` has to be an address that exists.');
    confirmations?.ask(subscription.id);
  } catch (error) {
    if (!(error instanceof SubscriptionFailed)) throw error;
    throw new Refusal(
      'upstream_failed',
      'The subscription could not be stored. Try again later.',
      {},
      unlessLogged(error),
    );
  }
  return headers;
}

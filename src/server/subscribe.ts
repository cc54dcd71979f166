import { randomUUID } from 'node:crypto';
import { storedNote, subscribeRequest } from '../schema/requests.ts';
import { SignupFailed } from '../subscribers/failure.ts';
import type { Signups } from '../subscribers/provider.ts';
import type { Fields } from './body.ts';
import { Refusal } from './errors.ts';
import { isTrapped, parseBody } from './feedback.ts';
import type { Limit } from './limits.ts';

export interface SubscribeParts {
  signups: Signups;
  limit: Limit;
}

/**
 * subscribe (interface specification, rules 7 to 9): resolves once the provider has the sign-up, with the headers of
 * the limit; a filled honeypot in an otherwise right body is answered alike and stored nowhere.
 *
 * Throws Refusal: `invalid_body`, `rate_limited`, `upstream_failed`.
 */
export async function takeSignup(fields: Fields, address: string, { signups, limit }: SubscribeParts) {
  const { email, list, note: given } = parseBody(subscribeRequest, fields);
  if (isTrapped(fields)) return {};
  const note = storedNote(given);
  const headers = await limit.take(address);
  const signup = { id: randomUUID(), time: new Date().toISOString(), email, list };
  try {
    const outcome = await signups.add(note === undefined ? signup : { ...signup, note });
    if (outcome === 'invalid') throw new Refusal('invalid_body', '`email` has to be an address that exists.');
  } catch (error) {
    if (!(error instanceof SignupFailed)) throw error;
    throw new Refusal('upstream_failed', 'The sign-up could not be stored. Try again later.', {}, error);
  }
  return headers;
}

import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Confirmed subscribers in a file, for tests. */

export const mailKey = 'a-key-for-tests-of-at-least-32-characters';

export const addressOf = (number: number) => `reader${number}@example.com`;

/** The id of the subscription of an address. */
export const idOf = (address: string) => createHash('sha256').update(address).digest('hex').slice(0, 24);

const time = '2026-11-01T08:00:00.000Z';

/** Adds confirmed subscriptions to the file in a data folder. */
export function addReaders(data: string, addresses: readonly string[], list = 'daily', event = 'confirmed'): void {
  mkdirSync(data, { recursive: true });
  const lines = addresses.flatMap((email) => {
    const subscription = { id: idOf(email), time, email, list, pending: true };
    return [subscription, ...(event === '' ? [] : [{ id: idOf(email), time, event }])];
  });
  appendFileSync(join(data, 'signups.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Ends the subscription of an address. */
export function endReader(data: string, address: string): void {
  const line = { id: idOf(address), time: '2026-11-20T08:00:00.000Z', event: 'unsubscribed' };
  appendFileSync(join(data, 'signups.jsonl'), `${JSON.stringify(line)}\n`);
}

import { forget, recall, remember } from './memory.ts';

/** What the reader typed into the fields of a prompt. */

const key = (address: string) => `inputs ${address}`;

/** Returns the remembered texts by the names of their fields. `address` is that of the agent. */
export function ownInputs(address: string): ReadonlyMap<string, string> {
  try {
    const stored = Object.entries(JSON.parse(recall(key(address)) ?? '{}'));
    return new Map(stored.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}

/** Remembers texts instead of earlier ones; forgets them all if none is left. */
export function rememberInputs(address: string, texts: ReadonlyMap<string, string>): void {
  const filled = [...texts].filter(([, text]) => text !== '');
  // First of all: if there is no room for the new texts, no outdated ones come back later.
  forget(key(address));
  if (filled.length > 0) remember(key(address), JSON.stringify(Object.fromEntries(filled)));
}

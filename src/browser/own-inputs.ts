/** What the reader typed into the fields of a prompt, stored only in this browser. Without storage, nothing is remembered and nothing fails. */

const key = (address: string) => `inputs ${address}`;

/** Returns the remembered texts by the names of their fields. `address` is that of the agent. */
export function ownInputs(address: string): ReadonlyMap<string, string> {
  try {
    const stored = Object.entries(JSON.parse(localStorage.getItem(key(address)) ?? '{}'));
    return new Map(stored.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}

/** Remembers texts instead of earlier ones; forgets them all if none is left. */
export function rememberInputs(address: string, texts: ReadonlyMap<string, string>): void {
  try {
    // Removed first: if there is no room for the new texts, no outdated ones come back later.
    localStorage.removeItem(key(address));
    const filled = [...texts].filter(([, text]) => text !== '');
    if (filled.length > 0) localStorage.setItem(key(address), JSON.stringify(Object.fromEntries(filled)));
  } catch {
    // The browser's settings forbid it, or the storage is full.
  }
}

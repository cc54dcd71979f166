/** What this browser remembers, stored only in it. Without storage, nothing is remembered and nothing fails. */

/** Returns what is remembered under `key`, or null. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Remembers `value` under `key`. False if the browser's settings forbid it, or the storage is full. */
export function remember(key: string, value: string): boolean {
  try {
    localStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

/** Forgets what is remembered under `key`. */
export function forget(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // The browser's settings forbid it.
  }
}

/** What the reader typed into the fields of a prompt. All tabs of the same agent share it. */

const key = (address: string) => `inputs ${address}`;

/** Returns the remembered texts by the names of their fields. `address` is that of the agent. */
export function ownInputs(address: string): ReadonlyMap<string, string> {
  return textsIn(recall(key(address)));
}

/** Remembers the text of one field. The others keep theirs, since the reader may have typed them in another tab. */
export function rememberInput(address: string, name: string, text: string): void {
  const others = new Map(ownInputs(address));
  others.delete(name);
  const all = text === '' ? others : new Map(others).set(name, text);
  if (all.size > 0 && remember(key(address), asJson(all))) return;
  // If there is no room for the text, the outdated one must not come back later.
  forget(key(address));
  if (others.size > 0) remember(key(address), asJson(others));
}

/** Forgets the texts of all fields. */
export function forgetInputs(address: string): void {
  forget(key(address));
}

/** Calls `changed` for each text that another tab changes. */
export function followInputs(address: string, changed: (name: string, text: string) => void): void {
  addEventListener('storage', (event) => {
    if (event.key !== key(address)) return;
    const [before, after] = [textsIn(event.oldValue), textsIn(event.newValue)];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(name) !== after.get(name)) changed(name, after.get(name) ?? '');
    }
  });
}

function textsIn(stored: string | null): ReadonlyMap<string, string> {
  try {
    const entries = Object.entries(JSON.parse(stored ?? '{}'));
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}

function asJson(texts: ReadonlyMap<string, string>): string {
  return JSON.stringify(Object.fromEntries(texts));
}

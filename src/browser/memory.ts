/** What this browser remembers, stored only in it. Without storage, nothing is remembered and nothing fails. */

/** Returns what is remembered under `key`, or null. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Remembers `value` under `key`, if there is room for it. */
export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The browser's settings forbid it, or the storage is full.
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

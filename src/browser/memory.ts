/** The memory of this browser, stored only in it. Without storage, nothing is remembered and nothing fails. */

/** Returns what is remembered under `key`, or null. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Remembers `value` under `key`, or nothing for null. False if the browser's settings forbid it, or the storage is full. */
export function remember(key: string, value: string | null): boolean {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

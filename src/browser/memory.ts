/** The memory of this browser, or of one tab, stored only there. Without storage, nothing is remembered and nothing fails. */

type Storage = 'localStorage' | 'sessionStorage';

/** Returns what is remembered under `key`, or null. */
export function recall(key: string, storage: Storage = 'localStorage'): string | null {
  try {
    return globalThis[storage].getItem(key);
  } catch {
    return null;
  }
}

/** Remembers `value` under `key`, or nothing for null. False if the browser's settings forbid it, or the storage is full. */
export function remember(key: string, value: string | null, storage: Storage = 'localStorage'): boolean {
  try {
    if (value === null) globalThis[storage].removeItem(key);
    else globalThis[storage].setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

/** What this browser remembers, stored only in it. Without storage, nothing is remembered and nothing fails. */

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The browser's settings forbid it, or the storage is full.
  }
}

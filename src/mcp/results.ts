import type { JsonBytes } from './messages.ts';

/** Results as JSON. The same request has the same result until the next build. */
export interface Results {
  get(key: string): JsonBytes | undefined;
  keep(key: string, json: JsonBytes): void;
}

/** The most bytes of all results, of one result, and of its key. */
const mostBytes = 32 * 1024 * 1024;
const mostOfResult = 1024 * 1024;
const mostOfKey = 1024;

/** Keeps results up to a total size, and drops the oldest first. */
export function keptResults(): Results {
  const results = new Map<string, JsonBytes>();
  let kept = 0;
  return {
    get: (key) => results.get(key),
    keep(key, json) {
      const size = key.length + json.length;
      if (json.length > mostOfResult || key.length > mostOfKey || results.has(key)) return;
      results.set(key, json);
      kept += size;
      for (const [oldest, { length }] of results) {
        if (kept <= mostBytes) return;
        results.delete(oldest);
        kept -= oldest.length + length;
      }
    },
  };
}

import { LRUCache } from 'lru-cache';
import type { Encoding } from './file-cache.ts';

/** Picks encodings by Accept-Encoding (RFC 9110, section 12.5.3). It remembers values, since browsers repeat them. */
export function encodingPicker(): (accept: string | undefined) => Encoding {
  const known = new LRUCache<string, Encoding>({
    max: 500,
    maxSize: 64 * 1024,
    sizeCalculation: (_, { length }) => length + 1,
  });
  return (accept = '') => {
    const before = known.get(accept);
    if (before !== undefined) return before;
    const picked = pick(accept);
    known.set(accept, picked);
    return picked;
  };
}

function pick(accept: string): Encoding {
  const weights = new Map(
    accept.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))] as const;
    }),
  );
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const best = (['br', 'gzip'] as const).reduce((one, other) => (weightOf(other) > weightOf(one) ? other : one));
  return weightOf(best) > 0 ? best : 'identity';
}

/** Whether If-None-Match contains `etag`, by weak comparison (RFC 9110, section 13.1.2). */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return (
    ifNoneMatch === etag ||
    ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
  );
}

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The address of the client, behind `hops` trusted proxies (C8.24).
 *
 * Each trusted proxy appends one entry to X-Forwarded-For. Earlier entries are client-supplied, so they are ignored. If
 * the entry is not an address, the address of the connection counts.
 */
export function clientAddress(request: IncomingMessage, hops: number): string {
  const direct = request.socket.remoteAddress ?? 'unknown';
  if (hops === 0) return direct;
  const forwarded = String(request.headers['x-forwarded-for'] ?? '');
  const chain = [...forwarded.split(',').map(plainAddress), direct].filter((entry) => entry !== '');
  const entry = chain[Math.max(0, chain.length - 1 - hops)] ?? direct;
  return isIP(entry) === 0 ? direct : entry;
}

/** An entry of X-Forwarded-For without the brackets and the port that some proxies add. */
function plainAddress(entry: string): string {
  const text = entry.trim();
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
}

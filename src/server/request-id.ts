import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ids = new WeakMap<IncomingMessage, string>();

/** Tells the processes of all servers apart. */
const ofProcess = randomBytes(6).toString('base64url');
let count = 0;

/**
 * Returns the id of a request, for the log. It is the `X-Request-Id` of a trusted proxy, if there are `hops` proxies and
 * the header has a usual form, and otherwise a new one. Later calls return the same.
 */
export function requestId(request: IncomingMessage, hops = 0): string {
  const known = ids.get(request);
  if (known !== undefined) return known;
  const given = hops === 0 ? undefined : request.headers['x-request-id'];
  count += 1;
  const id = typeof given === 'string' && /^[\w.:-]{8,128}$/.test(given) ? given : `${ofProcess}-${count.toString(36)}`;
  ids.set(request, id);
  return id;
}

import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const key = Symbol('request id');

/** Tells the processes of all servers apart. */
const ofProcess = randomBytes(6).toString('base64url');
let count = 0;

/**
 * Returns the id of a request, for the log: letters, digits and `_.:-`. It is the `X-Request-Id` of a trusted proxy, if
 * there are `hops` proxies and the header has a usual form, and otherwise a new one. Later calls return the same.
 */
export function requestId(request: IncomingMessage & { [key]?: string }, hops = 0): string {
  // On the request itself: a WeakMap with every request would cost the garbage collector more than the rest of the line.
  request[key] ??= (hops > 0 ? givenId(request) : undefined) ?? newId();
  return request[key];
}

function givenId({ headers }: IncomingMessage): string | undefined {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{8,128}$/.test(given) ? given : undefined;
}

function newId(): string {
  count += 1;
  return `${ofProcess}-${count.toString(36)}`;
}

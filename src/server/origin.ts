import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { BuildInfo } from '../schema/build-info.ts';
import { Refusal } from './errors.ts';

/** Decides which pages may send votes, subscriptions and MCP messages (C5.20). */
export interface OriginPolicy {
  /**
   * Returns the Origin of a request if it is one of the site's own, or null if it has none, since no page sent it.
   *
   * Throws Refusal `forbidden_origin` for any other value, including `null` and malformed ones.
   */
  check(request: IncomingMessage, build: Pick<BuildInfo, 'baseUrl' | 'runtimeUrl'>): string | null;
}

/**
 * `allowed` are further origins that count as the site's own; `host` is the address on which the server listens.
 *
 * The Host of a request counts too, since a server may not know all of its names. On a loopback address it counts only
 * if it is a loopback name or belongs to a known origin (C5.21): a page can point its name to a loopback address (DNS
 * rebinding), and its Origin and Host would then match.
 */
export function originPolicy(allowed: readonly string[], host: string): OriginPolicy {
  const listensOnLoopback = isLoopback(host);
  return {
    check(request, { baseUrl, runtimeUrl }) {
      const { origin } = request.headers;
      if (origin === undefined) return null;
      const own = [baseUrl, ...(runtimeUrl === null ? [] : [runtimeUrl])].map((url) => new URL(url).origin);
      if (own.includes(origin) || allowed.includes(origin)) return origin;
      const hostname = URL.canParse(origin) ? new URL(origin).hostname : '';
      if (listensOnLoopback && isLoopback(hostname)) return origin;
      const onLoopback = listensOnLoopback || isLoopback(request.socket.localAddress ?? '');
      const isKnown = () =>
        isLoopback(hostname) || [...own, ...allowed].some((known) => new URL(known).hostname === hostname);
      if (isOwnHost(origin, request.headers.host) && (!onLoopback || isKnown())) return origin;
      throw new Refusal('forbidden_origin', 'Requests from pages of other sites are not accepted.');
    },
  };
}

/** The headers that let a page of an allowed origin read the answer (Fetch standard, CORS protocol). */
export function corsHeaders(origin: string | null): Record<string, string> {
  if (origin === null) return { vary: 'Origin' };
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'RateLimit, RateLimit-Policy, Retry-After',
    vary: 'Origin',
  };
}

function isOwnHost(origin: string, host: string | undefined): boolean {
  return (
    host !== undefined && (origin === `http://${host.toLowerCase()}` || origin === `https://${host.toLowerCase()}`)
  );
}

/** Whether a host name or address is a loopback one. */
export function isLoopback(host: string): boolean {
  const plain = host
    .replace(/^\[|\]$/g, '')
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .toLowerCase();
  return (
    plain === 'localhost' ||
    plain.endsWith('.localhost') ||
    plain === '::1' ||
    (isIP(plain) === 4 && plain.startsWith('127.'))
  );
}

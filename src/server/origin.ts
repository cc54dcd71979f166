import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { BuildInfo } from '../build/render.ts';
import { Refusal } from './errors.ts';

/** Decides which pages may send what readers enter. */
export interface OriginPolicy {
  /**
   * The Origin of a request that is one's own, or null when it has none: not a page sent it.
   *
   * Throws Refusal `forbidden_origin` for any other, also for `null` and what is no origin at all.
   */
  check(request: IncomingMessage, build: Pick<BuildInfo, 'baseUrl' | 'runtimeUrl'>): string | null;
}

/**
 * `allowed` are further origins that count as one's own; `host` is what the server listens on. `ownHost: false` leaves
 * out the host that the request itself names, which a page may have bound to a server of the reader's machine.
 */
export function originPolicy(
  allowed: readonly string[],
  host: string,
  { ownHost = true }: { ownHost?: boolean } = {},
): OriginPolicy {
  const onLoopback = isLoopback(host);
  return {
    check(request, { baseUrl, runtimeUrl }) {
      const { origin } = request.headers;
      if (origin === undefined) return null;
      const own = [baseUrl, ...(runtimeUrl === null ? [] : [runtimeUrl])].map((url) => new URL(url).origin);
      if (own.includes(origin) || allowed.includes(origin)) return origin;
      if (ownHost && isOwnHost(origin, request.headers.host)) return origin;
      if (onLoopback && URL.canParse(origin) && isLoopback(new URL(origin).hostname)) return origin;
      throw new Refusal('forbidden_origin', 'Requests from pages of other sites are not taken.');
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

/** Whether a host name or address means this machine only. */
export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, '').toLowerCase();
  return (
    plain === 'localhost' ||
    plain.endsWith('.localhost') ||
    plain === '::1' ||
    (isIP(plain) === 4 && plain.startsWith('127.'))
  );
}

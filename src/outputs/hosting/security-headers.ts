import type { Settings } from '../../schema/settings.ts';
import { contentSecurityPolicy } from '../shared/page.ts';

/**
 * The headers that limit what browsers do with the files of a build: for the server, and for static hosts that read
 * `_headers`.
 *
 * Every read is open to pages of all sites by CORS, so the resource policy is `cross-origin` for all files: images of
 * feeds and social images load anywhere, and `same-origin` on pages would protect nothing.
 */
export function securityHeaders(addresses: Pick<Settings, 'baseUrl' | 'runtimeUrl'>): Record<string, string> {
  return {
    'Content-Security-Policy': `${contentSecurityPolicy(addresses)}; frame-ancestors 'none'`,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    ...(hasOwnHttpsHost(addresses) ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}

/**
 * Whether all of the publication is at the root of hosts with HTTPS. HSTS (RFC 6797) holds for a whole host, so one that
 * the catalog shares with other sites decides for itself.
 */
function hasOwnHttpsHost({ baseUrl, runtimeUrl }: Pick<Settings, 'baseUrl' | 'runtimeUrl'>): boolean {
  return [baseUrl, runtimeUrl ?? baseUrl].every((address) => {
    const { protocol, pathname } = new URL(address);
    return protocol === 'https:' && pathname === '/';
  });
}

import type { Settings } from '../../schema/settings.ts';
import { contentType } from '../content-types.ts';

/** The Content-Security-Policy of emails, whose styles are inline, and which load nothing. */
export const mailSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

/**
 * The Content-Security-Policy of every page, for its `<meta>` and for a header. frame-ancestors is missing because it
 * is only valid in a header (CSP 3, section 3.3).
 */
export function contentSecurityPolicy({ runtimeUrl }: Pick<Settings, 'runtimeUrl'>): string {
  const server = runtimeUrl === null ? '' : ` ${new URL(runtimeUrl).origin}`;
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    // Rules for what to prefetch are in the pages. They run no code, and only this keyword allows them, nothing else.
    "script-src 'self' 'inline-speculation-rules'",
    `connect-src 'self'${server}`,
    `form-action 'self'${server}`,
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** The Content-Security-Policy of a file, as a header. */
export function securityPolicy(addresses: Pick<Settings, 'runtimeUrl'>, path: string): string {
  const policy = path.startsWith('mail/') ? mailSecurityPolicy : contentSecurityPolicy(addresses);
  return `${policy}; frame-ancestors 'none'`;
}

/**
 * The headers that restrict what browsers do with a file of a build, for the server and for static hosts that read
 * `_headers`.
 *
 * CORS allows every site to read all files, so the resource policy is `cross-origin`: images load anywhere, and
 * `same-origin` on pages would protect nothing.
 */
export function securityHeaders(
  addresses: Pick<Settings, 'baseUrl' | 'runtimeUrl'>,
  path: string,
): Record<string, string> {
  return {
    'Content-Security-Policy': securityPolicy(addresses, path),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    ...(hasOwnHttpsHost(addresses) ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}

/**
 * Whether the whole publication is at the root of HTTPS hosts. HSTS (RFC 6797) applies to a whole host, so the catalog
 * does not set it on a host that it may share with other sites.
 */
function hasOwnHttpsHost({ baseUrl, runtimeUrl }: Pick<Settings, 'baseUrl' | 'runtimeUrl'>): boolean {
  return [baseUrl, runtimeUrl ?? baseUrl].every((address) => {
    const { protocol, pathname } = new URL(address);
    return protocol === 'https:' && pathname === '/';
  });
}

/** How the files of a site are served. The server gets this as an argument, since it imports no renderer. */
export const siteRules = { contentType, securityHeaders };

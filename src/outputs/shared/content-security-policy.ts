import type { Settings } from '../../schema/settings.ts';

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
    "script-src 'self'",
    `connect-src 'self'${server}`,
    `form-action 'self'${server}`,
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

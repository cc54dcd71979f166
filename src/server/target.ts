import type { Middleware, Request } from 'polka';

/** The target of a request: `pathname` as it was sent, and `search` with its question mark. */
export type Target = Request['_parsedUrl'];

/** Parses the target of a request, in origin form or absolute form (RFC 9112, section 3.2); the path of any other is `*`. */
export function parseTarget(raw: string): Target {
  const target = raw.startsWith('/') ? raw : originForm(raw);
  const end = target.indexOf('?');
  const pathname = end === -1 ? target : target.slice(0, end);
  return { pathname, search: end === -1 ? '' : target.slice(end), query: undefined, hash: undefined, raw };
}

/** The value of `v` in a query, as in the addresses of assets; null if it has none. */
export function versionIn(search: string): string | null {
  return /[?&]v=([^&]*)/.exec(search)?.[1] ?? null;
}

/**
 * The paths below dist/ where the file for a path can be, best first. Empty for a path that leads out of dist/ or is
 * malformed.
 */
export function candidates(path: string): string[] {
  const decoded = decode(path);
  if (decoded === null || !decoded.startsWith('/')) return [];
  if (/[\0\\]|\/\.{1,2}(?:\/|$)|\/\//.test(decoded)) return [];
  const name = decoded.slice(1);
  if (name === '') return ['index.html'];
  if (name.endsWith('/')) return [`${name}index.html`, `${name.slice(0, -1)}.html`];
  return [name, `${name}.html`, `${name}/index.html`];
}

function originForm(url: string): string {
  const match = /^https?:\/\/[^/?#]*([/?].*)?$/i.exec(url);
  if (match === null) return '*';
  const rest = match[1] ?? '';
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

/** One row of the table of routes. `ALL` is every method that no earlier row of the same path has. */
export type Route = [method: 'GET' | 'POST' | 'OPTIONS' | 'ALL', path: string, handler: Middleware];

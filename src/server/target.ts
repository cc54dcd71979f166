/** What a request asks for. */
export interface Target {
  /** The path as it was sent, without the query. */
  path: string;
  /** The value of `v` in the query, as assets have it. */
  version: string | null;
}

/** The target of a request line, in origin form or absolute form (RFC 9112, section 3.2); null for any other. */
export function parseTarget(url: string): Target | null {
  const target = url.startsWith('/') ? url : originForm(url);
  if (target === null) return null;
  const query = target.indexOf('?');
  if (query === -1) return { path: target, version: null };
  return { path: target.slice(0, query), version: /[?&]v=([^&]*)/.exec(target)?.[1] ?? null };
}

/**
 * The paths below dist/ at which the file of a path can be, best first; empty for a path that leads out of dist/ or is
 * not well-formed.
 */
export function candidates(path: string): string[] {
  const decoded = decode(path);
  if (decoded === null || /[\0\\]|(?:^|\/)\.{1,2}(?:\/|$)|\/\//.test(decoded)) return [];
  const name = decoded.slice(1);
  if (name === '') return ['index.html'];
  if (name.endsWith('/')) return [`${name}index.html`, `${name.slice(0, -1)}.html`];
  return [name, `${name}.html`, `${name}/index.html`];
}

function originForm(url: string): string | null {
  const match = /^https?:\/\/[^/?#]*([/?].*)?$/i.exec(url);
  if (match === null) return null;
  const rest = match[1] ?? '/';
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

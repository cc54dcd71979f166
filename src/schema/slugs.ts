import { maxSlugLength } from './fields.ts';

/** Makes a slug from a title: its words in lower case without accents. Empty if the title has no such words. */
export function slugFrom(title: string): string {
  const plain = title
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .replaceAll('ß', 'ss')
    .toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  let slug = '';
  for (const word of words) {
    const longer = slug === '' ? word.slice(0, maxSlugLength) : `${slug}-${word}`;
    if (longer.length > maxSlugLength) break;
    slug = longer;
  }
  return slug;
}

/** Makes a title from a slug: "release-notes" → "Release Notes". */
export function titleFrom(slug: string): string {
  return slug
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/** Tags for a slug with too few words, which an editor has to replace. */
export const fillerTags = ['new-agent', 'untagged'];

/**
 * The formats of configs by file extension, each with the content type that it is served with.
 *
 * Only data and text are allowed, nothing that a browser shows as a page or that runs as a program, whatever host
 * serves it. This excludes html, xhtml, svg and xml (pages, or scripts through XSLT), js and wasm, and sh, py, bat and
 * the like.
 */
export const configTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  jsonc: 'text/plain; charset=utf-8',
  yaml: 'text/plain; charset=utf-8',
  yml: 'text/plain; charset=utf-8',
  toml: 'text/plain; charset=utf-8',
  ini: 'text/plain; charset=utf-8',
  cfg: 'text/plain; charset=utf-8',
  conf: 'text/plain; charset=utf-8',
  properties: 'text/plain; charset=utf-8',
  env: 'text/plain; charset=utf-8',
  csv: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
};

/** The extensions that a config can have, without the dot. */
export const configExtensions: readonly string[] = Object.keys(configTypes);

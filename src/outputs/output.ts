import type { Site } from './site.ts';

/** One output of a build: a file, or a family of files of one shape. */
export interface Output {
  /** The path of its files below dist/; `{slug}` and the like stand for the part that differs. */
  path: string;
  /** A second path with the same bytes, where there is one. */
  also?: string;
  /** The content type, with a charset for text. For a family of several types, a function of the path. */
  type: string | ((path: string) => string);
  /** What readers find in it, in a few words. */
  purpose: string;
  /** Its files. Nothing is rendered until `render` is called. */
  files(site: Site): Iterable<RenderedFile>;
}

export interface RenderedFile {
  /** Below dist/, with slashes. */
  path: string;
  /** The slug of the agent that it is about, where it is about one alone. Whatever fails in it is that agent's. */
  agent?: string;
  render(): string | Uint8Array;
}

export const html = 'text/html; charset=utf-8';
export const plain = 'text/plain; charset=utf-8';
export const json = 'application/json';

/** Renders once, for pages with the same bytes at two paths. */
export function once(render: () => string): () => string {
  let text: string | undefined;
  return () => {
    text ??= render();
    return text;
  };
}

/** Makes an output of a single file. */
export function single(
  path: string,
  type: string,
  purpose: string,
  render: (site: Site) => string | Uint8Array,
): Output {
  return {
    path,
    type,
    purpose,
    files: (site) => [{ path, render: () => render(site) }],
  };
}

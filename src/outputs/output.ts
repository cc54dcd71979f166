import type { PublishedAgent, Site } from './site.ts';

/** An output of a build: a file, or a set of files of one kind. */
export interface Output {
  /** The path of its files below dist/, with a placeholder such as `{slug}` for the part that differs. */
  path: string;
  /** A second path with the same bytes. */
  also?: string;
  /** The content type, with a charset for text. If its files have several types, a function of the path. */
  type: string | ((path: string) => string);
  /** A few words for the list of outputs. */
  purpose: string;
  /** Its files. Nothing is rendered until `render` is called. */
  files(site: Site): Iterable<RenderedFile>;
}

export interface RenderedFile {
  /** The path below dist/, with slashes. */
  path: string;
  /** The slug of its agent, if it is about only one. An error in it is then reported for that agent. */
  agent?: string;
  render(): string | Uint8Array;
}

export const html = 'text/html; charset=utf-8';
export const plain = 'text/plain; charset=utf-8';
export const markdown = 'text/markdown; charset=utf-8';
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
  return { path, type, purpose, files: (site) => [{ path, render: () => render(site) }] };
}

/** Makes an output of one file for each agent. `path` has `{slug}` for the agent's slug. */
export function forAgents(
  path: string,
  type: string,
  purpose: string,
  render: (site: Site, agent: PublishedAgent) => string,
): Output {
  return {
    path,
    type,
    purpose,
    *files(site) {
      for (const agent of site.agents) {
        const { slug } = agent;
        yield { path: path.replace('{slug}', slug), agent: slug, render: () => render(site, agent) };
      }
    },
  };
}

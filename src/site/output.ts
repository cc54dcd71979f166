import { toJson } from '../schema/documents.ts';
import type { OutputPath } from './hosting/site-rules.ts';
import type { PublishedAgent, Site } from './site.ts';
import type { Deferred } from './social-image/renderer.ts';

/** An output of a build: a file, or a set of files of one kind. */
export interface Output {
  path: OutputPath;
  /** A second path with the same bytes. */
  also?: OutputPath;
  /** A few words for the list of outputs. */
  purpose: string;
  /** Whether other threads make its files, while the rest is rendered. */
  inThreads?: true;
  /** Its files. Nothing is rendered until `render` is called. With `only`, the files of other agents may be left out. */
  files(site: Site, only?: string): Iterable<RenderedFile>;
}

export interface RenderedFile {
  /** The path below dist/, with slashes. */
  path: string;
  /** A second path with the same bytes. */
  copy?: string;
  /**
   * Its inputs, besides the inputs of every file (settings, templates, program): fingerprints of agents
   * and other values. As long as they stay, so do its bytes.
   */
  inputs: readonly string[];
  /** The slug of its agent, if it is about only one. An error in it is then reported for that agent. */
  agent?: string;
  render(digest: Digest): string | Uint8Array | Deferred | readonly Part[];
}

/** Returns the SHA-256 of a file that the build has rendered before, in hexadecimal. */
export type Digest = (path: string) => string;

/** A part of a file, such as the entry of an agent in a list. It is only rendered if the last build did not have it. */
export interface Part {
  /** Its inputs, as the `inputs` of a file. Other parts of the file with the same input have the same bytes. */
  input: string;
  render(): string;
}

/** A file that shows only one agent. */
export function ofAgent(
  { slug, fingerprint }: PublishedAgent,
  path: string,
  render: (digest: Digest) => string | Uint8Array,
): RenderedFile {
  return { path, inputs: [fingerprint.whole], agent: slug, render };
}

/** The inputs of a file that lists agents. */
export function listed(agents: readonly PublishedAgent[]): string[] {
  return agents.map(({ fingerprint }) => fingerprint.listed);
}

/** The inputs of a file that shows the whole of some agents. */
export function whole(agents: readonly PublishedAgent[]): string[] {
  return agents.map(({ fingerprint }) => fingerprint.whole);
}

/** The inputs of a page that says when the next agent comes. */
export function upcoming({ next }: Site): string[] {
  return [JSON.stringify(next)];
}

/** The inputs of a file that shows no agent. */
export function none(): string[] {
  return [];
}

/** Makes an output of a single file. `inputs` are what the file shows; by default, all agents. */
export function single(
  path: OutputPath,
  purpose: string,
  render: (site: Site, digest: Digest) => ReturnType<RenderedFile['render']>,
  inputs: (site: Site) => readonly string[] = ({ agents }) => whole(agents),
): Output {
  return {
    path,
    purpose,
    files: (site) => [{ path, inputs: inputs(site), render: (digest) => render(site, digest) }],
  };
}

/** Makes an output of one file for each agent, or for some. `path` has `{slug}` for the agent's slug. */
export function forAgents(
  path: OutputPath,
  purpose: string,
  render: (site: Site, agent: PublishedAgent, digest: Digest) => string | Uint8Array,
  hasFile: (agent: PublishedAgent) => boolean = () => true,
): Output {
  return {
    path,
    purpose,
    *files(site, only) {
      for (const agent of site.agents) {
        if ((only !== undefined && only !== agent.slug) || !hasFile(agent)) continue;
        yield ofAgent(agent, path.replace('{slug}', agent.slug), (digest) => render(site, agent, digest));
      }
    },
  };
}

/** An item of a list in a JSON document. */
interface Item {
  /** Its inputs, as the `inputs` of a file. */
  input: string;
  value(digest: Digest): unknown;
}

/** Makes an output of a single JSON file: `document`, with a list as `field`, which is divided into parts. */
export function jsonList(
  path: OutputPath,
  purpose: string,
  field: string,
  listOf: (site: Site) => { document: object; items: readonly Item[] },
): Output {
  return {
    path,
    purpose,
    *files(site) {
      const { document, items } = listOf(site);
      const inputs = [JSON.stringify(document), ...items.map(({ input }) => input)];
      yield { path, inputs, render: (digest) => jsonParts(document, field, items, digest) };
    },
  };
}

/** Divides `toJson({ ...document, [field]: items })` into parts, one for each item. */
export function jsonParts(document: object, field: string, items: readonly Item[], digest: Digest): Part[] {
  if (items.length === 0) {
    const none = toJson({ ...document, [field]: [] });
    return [{ input: none, render: () => none }];
  }
  const item = '<item>';
  const [before = '', after = ''] = toJson({ ...document, [field]: [item] }).split(JSON.stringify(item));
  const separator = `,${before.slice(before.lastIndexOf('\n'))}`;
  return [
    { input: before, render: () => before },
    ...items.map(({ input, value }, index) => ({
      input: index === 0 ? `first ${input}` : input,
      // With the indentation that it has in the list.
      render: () => (index === 0 ? '' : separator) + JSON.stringify(value(digest), null, 2).replaceAll('\n', '\n    '),
    })),
    { input: after, render: () => after },
  ];
}

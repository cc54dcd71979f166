import { createHash } from 'node:crypto';
import { unprocessable } from '../content/read.ts';
import { OperationError } from '../lib/errors.ts';
import type { OnProgress } from '../lib/lazy.ts';
import { programVersion } from '../program.ts';
import { ContentError } from '../schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../schema/diagnostics/diagnostic.ts';
import { type BuildInfo, buildFile, toJson } from '../schema/documents.ts';
import { outputs } from '../site/index.ts';
import type { Digest, Part, RenderedFile } from '../site/output.ts';
import type { Site } from '../site/site.ts';

/** Where a build goes: a folder, or memory. */
export interface Destination {
  /**
   * Whether the destination already has the file, made from the same inputs. If not, the file is rendered and passed to
   * `write`.
   */
  keep(path: string, inputs: readonly string[]): boolean;
  /** Puts a file next in the order of the build. Its bytes may come earlier or later. */
  reserve(path: string): void;
  write(path: string, inputs: readonly string[], content: string | Uint8Array): void;
  /** Writes a file that consists of parts. Parts that the destination already has are not rendered. */
  writeParts(path: string, inputs: readonly string[], parts: readonly Part[]): void;
  /** Gives a path the bytes of another path, which was kept or written before. */
  copy(path: string, from: string): void;
  /** Returns the digest of a file that was kept or written. */
  digest(path: string): string;
  /** Removes everything that was written, because the build failed. */
  discard(): void;
}

/** Some agents cannot be rendered, with a diagnostic for each. A build without them may succeed. */
export class UnrenderableAgents extends ContentError {}

/**
 * Renders every output of a site that the destination does not have yet, build.json last. `onProgress` is called with
 * the number of agents in a file that agents have.
 *
 * Throws UnrenderableAgents if agents cannot be rendered.
 */
export function renderSite(site: Site, destination: Destination, onProgress: OnProgress = () => {}): BuildInfo {
  const paths: string[][] = outputs.map(() => []);
  const claim = claimPaths();
  const problems: Diagnostic[] = [];
  const digest = (path: string) => Buffer.from(destination.digest(path), 'base64url').toString('hex');
  const write = (file: RenderedFile) => {
    const { path, inputs } = file;
    const content = attempt(file, problems, digest);
    if (content === null) return;
    if (typeof content === 'function') content((bytes) => destination.write(path, inputs, bytes));
    else if (typeof content === 'object' && !(content instanceof Uint8Array)) {
      destination.writeParts(path, inputs, content);
    } else destination.write(path, inputs, content);
  };
  /** Files that other threads make, while the rest is rendered. */
  const waiting = outputs
    .filter(({ inThreads }) => inThreads)
    .flatMap((output) => [...output.files(site)])
    .filter(({ path, inputs }) => !destination.keep(path, inputs))
    .reverse();
  const startNext = () => {
    const file = waiting.pop();
    if (file !== undefined) write(file);
  };
  for (const { file, rank, position } of filesOf(site)) {
    const { path, copy, inputs } = file;
    const inThreads = outputs[rank]?.inThreads === true;
    claim(path);
    paths[rank]?.push(path);
    if (position !== null) onProgress('Rendering agents', position + 1, site.agents.length);
    if (inThreads) destination.reserve(path);
    else if (!destination.keep(path, inputs)) write(file);
    if (waiting.length > 0 && site.images.isReady()) startNext();
    if (copy === undefined || problems.length > 0) continue;
    claim(copy);
    paths[rank]?.push(copy);
    destination.copy(copy, path);
  }
  for (const left = waiting.length; waiting.length > 0; ) {
    onProgress('Drawing social images', left - waiting.length, left);
    startNext();
  }
  if (problems.length > 0) throw new UnrenderableAgents(problems);
  site.images.finish();
  const id = createHash('sha256');
  const all = paths.flat();
  for (const path of all) id.update(`${path}\0${destination.digest(path)}\0`);
  const info: BuildInfo = {
    id: id.digest('hex').slice(0, 32),
    version: programVersion,
    baseUrl: site.settings.baseUrl,
    runtimeUrl: site.settings.runtimeUrl,
    preview: site.preview,
    moved: Object.fromEntries(site.moved),
    counts: { agents: site.agents.length, files: all.length + 1 },
  };
  destination.write(buildFile, [], toJson(info));
  return info;
}

/**
 * Returns the files of all outputs: first the files of each agent, one agent after the other, so that what several of them
 * show is made only once, then all others. `rank` is the position of the output, and `position` the position of the agent.
 */
function* filesOf(site: Site): Generator<{ file: RenderedFile; rank: number; position: number | null }> {
  const lists = outputs.map((output, rank) => {
    const files = output.files(site)[Symbol.iterator]();
    return { rank, files, next: files.next() };
  });
  const ofAgents = lists.filter(({ next }) => next.value?.agent !== undefined);
  for (const [position, { slug }] of site.agents.entries()) {
    for (const list of ofAgents) {
      for (; list.next.value?.agent === slug; list.next = list.files.next()) {
        yield { file: list.next.value, rank: list.rank, position };
      }
    }
  }
  for (const { rank, files, next } of lists) {
    for (let file = next; file.done !== true; file = files.next()) yield { file: file.value, rank, position: null };
  }
}

/**
 * Renders the agents in `slugs` (default: all) one after the other, and yields the slug of each, with a diagnostic if it
 * cannot be rendered. Only files about a single agent are rendered. Throws ContentError if a template is malformed.
 */
export function* tryAgents(site: Site, slugs?: ReadonlySet<string>): Generator<[slug: string, problems: Diagnostic[]]> {
  let last: string | undefined;
  let problems: Diagnostic[] = [];
  for (const { file, position } of filesOf(site)) {
    const slug = position === null ? undefined : file.agent;
    if (slug !== undefined && slugs?.has(slug) === false) continue;
    if (slug !== last && last !== undefined) {
      yield [last, problems];
      problems = [];
    }
    if (slug === undefined) return;
    last = slug;
    attempt(file, problems, () => '');
  }
}

/**
 * Renders a file, or returns null if its agent cannot be rendered. Each such agent is added to `problems` once, and from
 * then on, files about the whole catalog are not rendered. Malformed templates and a machine that cannot draw images
 * are not errors of an agent, so their errors are thrown.
 */
function attempt(
  { agent, render }: RenderedFile,
  problems: Diagnostic[],
  digest: Digest,
): ReturnType<RenderedFile['render']> | null {
  if (agent === undefined) return problems.length > 0 ? null : render(digest);
  if (problems.some(({ slug }) => slug === agent)) return null;
  try {
    return render(digest);
  } catch (error) {
    if (error instanceof ContentError || error instanceof OperationError) throw error;
    problems.push(unprocessable(agent, 'render', error));
    return null;
  }
}

/**
 * Returns a function to be called with each path of a build. It throws an Error if two paths conflict: paths that
 * differ only in case are one file on Windows and macOS, and a file cannot also be a folder.
 */
export function claimPaths(): (path: string) => void {
  const files = new Set<string>();
  const folders = new Set<string>();
  return (path) => {
    const folded = /^[a-z0-9./_-]*$/.test(path) ? path : path.normalize('NFC').toLowerCase();
    const conflict = () => new Error(`Two outputs of the build have the path ${path}.`);
    if (files.has(folded) || folders.has(folded)) throw conflict();
    files.add(folded);
    for (let end = folded.lastIndexOf('/'); end > 0; end = folded.lastIndexOf('/', end - 1)) {
      const folder = folded.slice(0, end);
      if (folders.has(folder)) return;
      if (files.has(folder)) throw conflict();
      folders.add(folder);
    }
  };
}

import { createHash } from 'node:crypto';
import { unprocessable } from '../content/parse/files.ts';
import { OperationError } from '../lib/errors.ts';
import type { OnProgress } from '../lib/lazy.ts';
import { programVersion } from '../program.ts';
import { ContentError } from '../schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../schema/diagnostics/diagnostic.ts';
import { type BuildInfo, buildFile, toJson } from '../schema/documents.ts';
import { outputs } from '../site/index.ts';
import { type Digest, type RenderedFile, whole } from '../site/output.ts';
import type { Site } from '../site/site.ts';
import type { Destination } from './destination.ts';

/** Some agents cannot be rendered, with a diagnostic for each. A build without them may succeed. */
export class UnrenderableAgents extends ContentError {}

/**
 * Renders every output of a site that the destination does not have yet, build.json last. `onProgress` is called with
 * the number of agents in a file that agents have.
 *
 * Throws UnrenderableAgents if agents cannot be rendered.
 */
export function renderSite(site: Site, destination: Destination, onProgress: OnProgress = () => {}): BuildInfo {
  const paths: string[] = [];
  const claim = claimPaths();
  const faults: Diagnostic[] = [];
  const digest = (path: string) => Buffer.from(destination.digest(path), 'base64url').toString('hex');
  const inputsOf = ({ inputs = whole(site.agents) }: RenderedFile) => inputs;
  const write = (file: RenderedFile) => {
    const content = attempt(file, faults, digest);
    if (content === null) return;
    const inputs = inputsOf(file);
    if (typeof content === 'function') content((bytes) => destination.write(file.path, inputs, bytes));
    else if (typeof content === 'object' && !(content instanceof Uint8Array)) {
      destination.writeParts(file.path, inputs, content);
    } else destination.write(file.path, inputs, content);
  };
  /** Files that other threads make, while the rest is rendered. */
  const waiting = outputs
    .filter(({ inThreads }) => inThreads)
    .flatMap((output) => [...output.files(site)])
    .filter((file) => !destination.keep(file.path, inputsOf(file)))
    .reverse();
  const startNext = () => {
    const file = waiting.pop();
    if (file !== undefined) write(file);
  };
  for (const output of outputs) {
    let done = 0;
    for (const file of output.files(site)) {
      const { path, copy } = file;
      claim(path);
      paths.push(path);
      done += 1;
      if (file.agent !== undefined) onProgress(`Rendering ${output.path}`, done, site.agents.length);
      if (output.inThreads || !destination.keep(path, inputsOf(file))) {
        destination.reserve(path);
        if (!output.inThreads) write(file);
        if (waiting.length > 0 && site.images.isReady()) startNext();
      }
      if (copy === undefined || faults.length > 0) continue;
      claim(copy);
      paths.push(copy);
      destination.copy(copy, path);
    }
  }
  for (const left = waiting.length; waiting.length > 0; ) {
    onProgress('Drawing social images', left - waiting.length, left);
    startNext();
  }
  if (faults.length > 0) throw new UnrenderableAgents(faults);
  site.images.finish();
  const id = createHash('sha256');
  for (const path of paths) id.update(`${path}\0${destination.digest(path)}\0`);
  const info: BuildInfo = {
    id: id.digest('hex').slice(0, 32),
    version: programVersion,
    baseUrl: site.settings.baseUrl,
    runtimeUrl: site.settings.runtimeUrl,
    preview: site.preview,
    moved: Object.fromEntries(site.moved),
    counts: { agents: site.agents.length, files: paths.length + 1 },
  };
  destination.write(buildFile, [], toJson(info));
  return info;
}

/**
 * Returns a diagnostic for each agent in `slugs` (default: all) that cannot be rendered. Only files about a single
 * agent are rendered. Throws ContentError if a template is malformed.
 */
export function faultsOf(site: Site, slugs?: ReadonlySet<string>): Diagnostic[] {
  const faults: Diagnostic[] = [];
  for (const output of outputs) {
    for (const file of output.files(site)) {
      if (file.agent === undefined) break;
      if (slugs === undefined || slugs.has(file.agent)) attempt(file, faults, () => '');
    }
  }
  return faults;
}

/**
 * Renders a file, or returns null if its agent cannot be rendered. Each such agent is added to `faults` once, and from
 * then on, files about the whole catalog are not rendered. Malformed templates and a machine that cannot draw images
 * are not errors of an agent, so their errors are thrown.
 */
function attempt(
  { agent, render }: RenderedFile,
  faults: Diagnostic[],
  digest: Digest,
): ReturnType<RenderedFile['render']> | null {
  if (agent === undefined) return faults.length > 0 ? null : render(digest);
  if (faults.some(({ slug }) => slug === agent)) return null;
  try {
    return render(digest);
  } catch (error) {
    if (error instanceof ContentError || error instanceof OperationError) throw error;
    faults.push(unprocessable(agent, 'render', error));
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

import { createHash } from 'node:crypto';
import { unprocessable } from '../catalog/unprocessable.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { ContentError, OperationError } from '../errors.ts';
import { outputs } from '../outputs/index.ts';
import type { RenderedFile } from '../outputs/output.ts';
import type { Site } from '../outputs/site.ts';
import { programVersion } from '../program.ts';
import { type BuildInfo, buildFile } from '../schema/build-info.ts';
import { toJson } from '../schema/documents.ts';

/** A build in memory: every file by its path, in the order in which it is put in place, build.json last. */
export interface Rendered {
  info: BuildInfo;
  files: Map<string, Buffer>;
}

/** Some agents can't be rendered: a diagnostic for each. A build without them can be made. */
export class UnrenderableAgents extends ContentError {}

/**
 * Renders every output of a site. `onOutput` is called with the path of each before it is rendered, for timing and progress.
 *
 * Throws UnrenderableAgents when there are any.
 */
export function renderSite(site: Site, onOutput: (path: string) => void = () => {}): Rendered {
  const files = new Map<string, Buffer>();
  const hash = createHash('sha256');
  const claim = claimPaths();
  const faults: Diagnostic[] = [];
  for (const output of outputs) {
    onOutput(output.path);
    for (const file of output.files(site)) {
      claim(file.path);
      const content = attempt(file, faults);
      if (content === null) continue;
      const bytes =
        typeof content === 'string'
          ? Buffer.from(content)
          : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
      files.set(file.path, bytes);
      hash.update(`${file.path}\0${bytes.length}\0`).update(bytes);
    }
  }
  if (faults.length > 0) throw new UnrenderableAgents(faults);
  const info: BuildInfo = {
    id: hash.digest('hex').slice(0, 32),
    version: programVersion,
    baseUrl: site.settings.baseUrl,
    runtimeUrl: site.settings.runtimeUrl,
    preview: site.preview,
    moved: Object.fromEntries(site.moved),
    counts: { agents: site.agents.length, files: files.size + 1 },
  };
  files.set(buildFile, Buffer.from(toJson(info)));
  return { info, files };
}

/**
 * The agents among `slugs` (default: all) that can't be rendered: one diagnostic for each, found by rendering what is
 * about them alone. Throws ContentError for a template that is not well-formed.
 */
export function faultsOf(site: Site, slugs?: ReadonlySet<string>): Diagnostic[] {
  const faults: Diagnostic[] = [];
  for (const output of outputs) {
    for (const file of output.files(site)) {
      if (file.agent === undefined) break;
      if (slugs === undefined || slugs.has(file.agent)) attempt(file, faults);
    }
  }
  return faults;
}

/**
 * A rendered file; null for one of an agent that fails, or of the whole catalog once an agent has failed. What fails is
 * added to `faults`, once an agent. A template that is not well-formed, and a machine that can't draw, are no agent's fault.
 */
function attempt({ agent, render }: RenderedFile, faults: Diagnostic[]): string | Uint8Array | null {
  if (agent === undefined) return faults.length > 0 ? null : render();
  if (faults.some(({ slug }) => slug === agent)) return null;
  try {
    return render();
  } catch (error) {
    if (error instanceof ContentError || error instanceof OperationError) throw error;
    faults.push(unprocessable(agent, 'render', error));
    return null;
  }
}

/**
 * A function that takes the paths of a build, one after the other, and throws Error for one that can't be written beside
 * the others: two that differ in nothing but case are one file on Windows and macOS, and no file can also be a folder.
 */
export function claimPaths(): (path: string) => void {
  const files = new Set<string>();
  const folders = new Set<string>();
  return (path) => {
    const folded = path.normalize('NFC').toLowerCase();
    const parents = [...folded.matchAll(/\//g)].map(({ index }) => folded.slice(0, index));
    if (files.has(folded) || folders.has(folded) || parents.some((folder) => files.has(folder))) {
      throw new Error(`Two outputs of the build need the path ${path}.`);
    }
    files.add(folded);
    for (const folder of parents) folders.add(folder);
  };
}

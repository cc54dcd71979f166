import { createHash, randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { readHistory } from '../content/history.ts';
import { loadContent, noMemory } from '../content/load.ts';
import { type Selected, type Selection, select } from '../content/schedule.ts';
import { orElse } from '../lib/errors.ts';
import { areSettled, noStamps, type Stamps, sourceStamps } from '../lib/files.ts';
import type { OnProgress } from '../lib/lazy.ts';
import { programFiles } from '../program.ts';
import { ContentError } from '../schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../schema/diagnostics/diagnostic.ts';
import type { Settings } from '../schema/settings.ts';
import { installTree, newestIssue } from '../site/install/plugins.ts';
import { makeSite } from '../site/make-site.ts';
import type { TemplateFiles } from '../site/shared/templates.ts';
import { readPublished } from '../storage/build-folder.ts';
import { publishedPlugins, readReleases } from './install-branch.ts';
import { BuildMemory } from './last-build.ts';
import { readTemplates } from './read-templates.ts';
import { type Destination, renderSite, tryAgents, UnrenderableAgents } from './render.ts';
import { BuildWriter, MemoryDestination, treeWriter } from './write.ts';

interface RenderOptions extends Selection {
  /** The catalog folder. */
  cwd: string;
  settings: Settings;
  /** A folder for caches; null: no caching. */
  cache?: string | null;
  /** Whether to draw social images; if not, their files are empty. @default true */
  images?: boolean;
  /** Is called again and again with the current task, and how much of it is done. */
  onProgress?: OnProgress;
  /** The stamps of everything in agents/, if they are known. */
  sources?: Stamps;
}

/**
 * Builds the catalog into the folder `out`: read → validate → number → render → write. Agents and files that did not
 * change since the last build into that folder are neither read nor rendered. The folder `installTree`, if any, gets the
 * tree of the branch `install`.
 *
 * Returns build.json, the files and folders of the build by path, how many files it changed, the install tree (null without
 * one), the warnings, the slugs of due agents that were skipped because of their errors, and what is missing of the history.
 * Throws ContentError if anything to be built has an error. The folder is then unchanged.
 */
export function build({
  out,
  installTree: treeFolder,
  ...options
}: RenderOptions & { out: string; installTree?: string | undefined }) {
  const writeTree = treeFolder === undefined ? null : treeWriter(treeFolder);
  const templates = readTemplates(options.cwd);
  const memory = new BuildMemory(cacheOf(options), { cwd: options.cwd, out, common: commonInputs(options, templates) });
  const result = render(
    { ...(options.skipInvalid ? { published: publishedIn(out) } : {}), ...options },
    templates,
    memory,
    () => new BuildWriter(out, memory),
  );
  const { destination: writer, info, selected, site, historyMissing } = result;
  const files = writeTree === null ? null : installTree(site);
  const written = writer.finish(options.onProgress);
  memory.save(writer, site);
  const tree =
    writeTree === null || files === null
      ? null
      : {
          ...writeTree(files),
          /** The number of its newest agent; 0 without agents. */
          issue: newestIssue(site.agents),
          /** The address of the repository that it names, if the settings have one. */
          repository: site.settings.repository ?? null,
        };
  const { warnings, skipped } = selected;
  return { info, files: writer.files, folders: writer.folders, written, tree, warnings, skipped, historyMissing };
}

/**
 * Builds the catalog in memory, without writing it. Returns build.json and the files by path, what was selected, the site, and
 * what is missing of the history. Throws ContentError as `build` does.
 */
export function renderCatalog(options: RenderOptions) {
  const { destination, info, ...result } = render(
    options,
    readTemplates(options.cwd),
    null,
    () => new MemoryDestination(),
  );
  return { rendered: { info, files: destination.files }, ...result };
}

/** The cache folder, which may be named relative to the catalog folder. */
function cacheOf({ cwd, cache = null }: RenderOptions): string | null {
  return cache === null ? null : resolve(cwd, cache);
}

/** The slugs of the agents in the existing build; empty if there is none. */
function publishedIn(out: string): ReadonlySet<string> {
  return orElse(() => new Set(readPublished(out).titles.keys()), new Set());
}

/** Returns a hash of everything that any file of a build can depend on, besides the agents. */
function commonInputs(
  { settings, future, drafts, images }: RenderOptions,
  { templates, assets, fonts }: TemplateFiles,
): string {
  const stamps = sourceStamps(programFiles);
  const program = areSettled(stamps) ? [stamps.paths, ...stamps.numbers] : randomUUID();
  const options = [program, process.versions, settings, future, drafts, images];
  const hash = createHash('sha256').update(JSON.stringify(options));
  for (const { name, text } of templates) hash.update(`\0${name}\0${text}`);
  for (const [path, bytes] of assets) hash.update(`\0${path}\0`).update(bytes);
  for (const { name, bytes } of fonts) hash.update(`\0${name}\0`).update(bytes);
  return hash.digest('base64url');
}

/** Calls `open` for each attempt: if agents cannot be rendered, the build is repeated without them. */
function render<Target extends Destination>(
  options: RenderOptions,
  templates: TemplateFiles,
  memory: BuildMemory | null,
  open: () => Target,
) {
  const { cwd, settings, images = true, onProgress = () => {}, sources = noStamps, ...selection } = options;
  const cache = cacheOf(options);
  const recalled = memory ?? noMemory;
  const preview = selection.future === true || selection.drafts === true;
  const content = loadContent(cwd, settings, selection.today, {
    numbers: preview ? 'expected' : 'due',
    memory: recalled,
    sources,
    onFolder: (done, total) => onProgress('Reading agents', done, total),
  });
  const { changes, missing } = recalled.ofGit(
    'history',
    () => readHistory(cwd),
    (history) => history.missing === null,
  );
  const releases = recalled.ofGit(
    'releases',
    () => readReleases(cwd),
    // Without the history, Git may not have read the branch either.
    ({ note }) => note === null && missing === null,
  );
  const shared = {
    preview,
    history: new Map(changes),
    published: publishedPlugins(cwd, releases),
    cache,
    images,
    memory,
  };
  // The missing parts of the history of prompts or plugins, and why; null if nothing is missing.
  const historyMissing = [missing, releases.note].filter((note) => note !== null).join(' ') || null;
  const problems: Diagnostic[] = [];
  for (;;) {
    const selected = select({ ...content, diagnostics: [...content.diagnostics, ...problems] }, selection);
    if (selected.errors.length > 0) throw new ContentError(selected.errors);
    const site = makeSite(templates, settings, selected, shared);
    const destination = open();
    try {
      const info = renderSite(site, destination, onProgress);
      return { destination, info, selected, site, historyMissing };
    } catch (error) {
      destination.discard();
      // Rendering has shown which agents cannot be rendered, so the selection is repeated without them.
      if (!(error instanceof UnrenderableAgents)) throw error;
      problems.push(...error.diagnostics);
    } finally {
      site.images.close();
    }
  }
}

/**
 * Renders the agents in `slugs` (default: all) without images and without writing files. Returns a diagnostic for each
 * agent that cannot be rendered, which only rendering can show.
 *
 * Throws ContentError if a template is malformed.
 */
export function trialProblems(
  cwd: string,
  settings: Settings,
  selected: Pick<Selected, 'agents' | 'next' | 'moved' | 'withdrawn'>,
  slugs?: ReadonlySet<string>,
): Diagnostic[] {
  if (slugs?.size === 0) return [];
  const site = makeSite(readTemplates(cwd), settings, selected, { preview: true });
  return [...tryAgents(site, slugs)].flatMap(([, problems]) => problems);
}

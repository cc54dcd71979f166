import { readPublished } from '../build-folder/read-build.ts';
import { loadContent } from '../catalog/load.ts';
import { type Selected, type Selection, select } from '../catalog/select.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { ContentError } from '../errors.ts';
import { readHistory } from '../git/history.ts';
import type { BuildInfo } from '../schema/build-info.ts';
import type { Settings } from '../schema/settings.ts';
import { prepareSite } from './prepare.ts';
import { type Rendered, renderSite, UnrenderableAgents } from './render.ts';
import { type Written, writeBuild } from './write.ts';

export interface RenderOptions extends Selection {
  /** The catalog folder. */
  cwd: string;
  settings: Settings;
  /** The folder for caches; null turns caching off. */
  cache?: string | null;
  /** Whether to draw social images; if not, their files are empty. @default true */
  images?: boolean;
  /** Called when a stage begins: read, number, render <output>, write. */
  onStage?: (stage: string) => void;
}

export interface BuildResult {
  info: BuildInfo;
  written: Written;
  /** Diagnostics that did not stop the build. */
  warnings: Diagnostic[];
  /** Slugs of due agents that were skipped because of their errors. */
  skipped: string[];
  /** Why the pages show no history of the prompts, or null. */
  historyMissing: string | null;
}

/**
 * Builds the catalog into the folder `out`: read → validate → number → render → write.
 *
 * Throws ContentError if anything to be built has an error. The folder is then unchanged.
 */
export function build({ out, ...options }: RenderOptions & { out: string }): BuildResult {
  const { rendered, selected, historyMissing } = renderCatalog({ published: publishedIn(out), ...options });
  options.onStage?.('write');
  const written = writeBuild(out, rendered.files);
  return { info: rendered.info, written, warnings: selected.warnings, skipped: selected.skipped, historyMissing };
}

/** The slugs of the agents in the existing build; empty if there is none. */
function publishedIn(out: string): ReadonlySet<string> {
  try {
    return readPublished(out).slugs;
  } catch {
    return new Set();
  }
}

/** Builds the catalog in memory, without writing it. Throws ContentError as `build` does. */
export function renderCatalog({
  cwd,
  settings,
  cache = null,
  images = true,
  onStage = () => {},
  ...selection
}: RenderOptions): {
  rendered: Rendered;
  selected: Selected;
  historyMissing: string | null;
} {
  onStage('read');
  const preview = selection.future === true || selection.drafts === true;
  const content = loadContent(cwd, settings, selection.today, { expectNumbers: preview });
  const { changes: history, missing } = readHistory(cwd);
  const faults: Diagnostic[] = [];
  for (;;) {
    onStage('number');
    const selected = select({ ...content, diagnostics: [...content.diagnostics, ...faults] }, selection);
    if (selected.errors.length > 0) throw new ContentError(selected.errors);
    const site = prepareSite(cwd, settings, selected, { preview, history, cache, images });
    try {
      const rendered = renderSite(site, (output) => onStage(`render ${output}`));
      return { rendered, selected, historyMissing: missing };
    } catch (error) {
      // Rendering has shown which agents cannot be rendered, so the selection is repeated without them.
      if (!(error instanceof UnrenderableAgents)) throw error;
      faults.push(...error.diagnostics);
    } finally {
      site.images.close();
    }
  }
}

import { templateHelpers } from '../artifacts/page.ts';
import { makeSite, type Site } from '../artifacts/site.ts';
import { compileTemplates } from '../artifacts/templates.ts';
import { addresses } from '../artifacts/urls.ts';
import { loadContent } from '../content/load.ts';
import { type Selected, type Selection, select } from '../content/select.ts';
import { ContentError, type Diagnostic } from '../diagnostics.ts';
import type { Settings } from '../schema/settings.ts';
import { readTemplates } from './read-templates.ts';
import { type BuildInfo, renderSite } from './render.ts';
import { type Written, writeBuild } from './write.ts';

export interface BuildOptions extends Selection {
  /** The catalog's folder. */
  cwd: string;
  /** The folder of the build. */
  out: string;
  settings: Settings;
  /** Hears of the stages as they begin: read, number, render <artifact>, write. */
  onStage?: (stage: string) => void;
}

export interface BuildResult {
  info: BuildInfo;
  written: Written;
  /** Diagnostics that did not stop the build. */
  warnings: Diagnostic[];
  /** Slugs of due agents that were left out because of their errors. */
  heldBack: string[];
}

/**
 * Builds the catalog: read → validate → number → render → write.
 *
 * Throws ContentError when something that would be built has an error; the folder is then as it was.
 */
export function build({ cwd, out, settings, onStage = () => {}, ...selection }: BuildOptions): BuildResult {
  onStage('read');
  const { site, selected } = prepareSite(cwd, settings, selection, onStage);
  const { info, files } = renderSite(site, (artifact) => onStage(`render ${artifact}`));
  onStage('write');
  const written = writeBuild(out, files);
  return { info, written, warnings: selected.warnings, heldBack: selected.heldBack };
}

/** Everything up to rendering: the site that a build would render. Throws ContentError as build does. */
export function prepareSite(
  cwd: string,
  settings: Settings,
  selection: Selection,
  onStage: (stage: string) => void = () => {},
): { site: Site; selected: Selected } {
  const { folders, diagnostics } = loadContent(cwd, settings, selection.today);
  onStage('number');
  const selected = select(folders, diagnostics, selection);
  if (selected.errors.length > 0) throw new ContentError(selected.errors);
  const { templates, assets } = readTemplates(cwd);
  const site = makeSite({
    settings,
    agents: selected.agents,
    moved: selected.moved,
    templates: compileTemplates(templates, templateHelpers(settings, addresses(settings), assets)),
    assets,
    preview: selection.future === true || selection.drafts === true,
  });
  return { site, selected };
}

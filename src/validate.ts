import { templateHelpers } from './artifacts/page.ts';
import { compileTemplates } from './artifacts/templates.ts';
import { addresses } from './artifacts/urls.ts';
import { readTemplates } from './build/read-templates.ts';
import { loadContent } from './content/load.ts';
import { editorialFindings } from './content/rules/index.ts';
import { ContentError, type Diagnostic, sortDiagnostics } from './diagnostics.ts';
import type { Settings } from './settings.ts';

/**
 * Everything that is wrong with a catalog: every folder, due or not, its writing too, and the catalog's own templates.
 */
export function validateCatalog(
  cwd: string,
  settings: Settings,
  today: string,
): { folders: string[]; diagnostics: Diagnostic[] } {
  const { folders, diagnostics } = loadContent(cwd, settings, today);
  const editorial = folders.flatMap((folder) => editorialFindings(folder, settings.language));
  return {
    folders: folders.map(({ slug }) => slug),
    diagnostics: sortDiagnostics([...diagnostics, ...editorial, ...templateFaults(cwd, settings)]),
  };
}

function templateFaults(cwd: string, settings: Settings): readonly Diagnostic[] {
  try {
    const { templates, assets } = readTemplates(cwd);
    compileTemplates(templates, templateHelpers(settings, addresses(settings), assets));
    return [];
  } catch (error) {
    if (error instanceof ContentError) return error.diagnostics;
    throw error;
  }
}

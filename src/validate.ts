import { templateHelpers } from './artifacts/page.ts';
import { compileTemplates } from './artifacts/templates.ts';
import { addresses } from './artifacts/urls.ts';
import { readTemplates } from './build/read-templates.ts';
import { type Content, loadContent } from './content/load.ts';
import { editorialFindings } from './content/rules/index.ts';
import { ContentError, type Diagnostic, sortDiagnostics } from './diagnostics.ts';
import type { Settings } from './settings.ts';

/** What `catalog validate` reports: the names of all folders, and what is wrong, sorted. */
export interface Validated {
  folders: string[];
  diagnostics: Diagnostic[];
}

/**
 * Everything that is wrong with a catalog: every folder, due or not, its writing too, and the catalog's own templates.
 */
export function validateCatalog(cwd: string, settings: Settings, today: string): Validated {
  return report(checkCatalog(cwd, settings, today));
}

/** The same, and what the thorough search for secrets finds besides. */
export async function validateThoroughly(cwd: string, settings: Settings, today: string): Promise<Validated> {
  const { folders, diagnostics } = checkCatalog(cwd, settings, today);
  const { thoroughSecrets } = await import('./content/secrets.ts');
  return report({ folders, diagnostics: [...diagnostics, ...(await thoroughSecrets(folders))] });
}

function checkCatalog(cwd: string, settings: Settings, today: string): Content {
  const { folders, diagnostics } = loadContent(cwd, settings, today);
  const editorial = folders.flatMap((folder) => editorialFindings(folder, settings.language));
  return { folders, diagnostics: [...diagnostics, ...editorial, ...templateFaults(cwd, settings)] };
}

function report({ folders, diagnostics }: Content): Validated {
  return { folders: folders.map(({ slug }) => slug), diagnostics: sortDiagnostics(diagnostics) };
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

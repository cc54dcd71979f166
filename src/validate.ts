import { artifacts } from './artifacts/index.ts';
import { prepareSite } from './build/prepare.ts';
import { hasTemplates } from './build/read-templates.ts';
import { loadContent } from './content/load.ts';
import { editorialFindings } from './content/rules/index.ts';
import { type Selected, select } from './content/select.ts';
import { ContentError, type Diagnostic, sortDiagnostics } from './diagnostics.ts';
import type { Settings } from './settings.ts';

/**
 * Everything that is wrong with a catalog, sorted: every folder, due or not, its writing, and the catalog's own
 * templates. `folders` are the names of all folders.
 */
export async function validateCatalog(
  cwd: string,
  settings: Settings,
  today: string,
): Promise<{ folders: string[]; diagnostics: Diagnostic[] }> {
  const content = loadContent(cwd, settings, today);
  const { folders, diagnostics } = content;
  const selected = select(content, { today, future: true, drafts: true });
  const found = [
    ...diagnostics,
    ...folders.flatMap((folder) => editorialFindings(folder, settings.language)),
    ...(hasTemplates(cwd) ? templateFaults(cwd, settings, selected) : []),
  ];
  return { folders: folders.map(({ slug }) => slug), diagnostics: sortDiagnostics(found) };
}

/** What is wrong with the templates, found by rendering one file of each artifact. */
function templateFaults(cwd: string, settings: Settings, selected: Selected): readonly Diagnostic[] {
  try {
    const site = prepareSite(cwd, settings, selected, {
      preview: true,
      history: new Map(),
      cache: null,
      pictures: true,
    });
    try {
      for (const artifact of artifacts) for (const file of first(artifact.files(site))) file.render();
      return [];
    } finally {
      site.pictures.close();
    }
  } catch (error) {
    if (error instanceof ContentError) return error.diagnostics;
    throw error;
  }
}

function* first<Item>(items: Iterable<Item>): Iterable<Item> {
  for (const item of items) {
    yield item;
    return;
  }
}

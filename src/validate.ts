import { prepareSite } from './build/prepare.ts';
import { hasTemplates } from './build/read-templates.ts';
import { trialFaults } from './build/trial.ts';
import { zone } from './calendar.ts';
import { loadContent } from './catalog/load.ts';
import { editorialFindings } from './catalog/rules/index.ts';
import { type Selected, select } from './catalog/select.ts';
import { checkSettings, type Settings, type SettingsOverrides } from './catalog/settings.ts';
import { type Diagnostic, sortDiagnostics } from './diagnostics/diagnostic.ts';
import { ContentError } from './errors.ts';
import { outputs } from './outputs/index.ts';
import type { KnownVocabulary } from './schema/settings.ts';

/** Called again and again with what is being done, and how much of it is done. */
export type OnProgress = (task: string, done: number, total: number) => void;

/**
 * Everything that is wrong with a catalog, sorted: its settings, and with what is known of them all that
 * `validateCatalog` finds. `today` is that of the catalog's time zone where it is not given.
 *
 * Throws UsageError when an override of the settings is wrong.
 */
export async function checkCatalog(
  cwd: string,
  overrides: SettingsOverrides & { today?: string | undefined },
  environment: NodeJS.ProcessEnv,
  onProgress: OnProgress = () => {},
): Promise<{ folders: string[]; diagnostics: Diagnostic[] }> {
  const { settings, vocabulary, diagnostics } = checkSettings(cwd, overrides, environment);
  const today = overrides.today ?? zone(settings.timezone).today(new Date());
  const found = await validateCatalog(cwd, settings, today, { vocabulary, onProgress });
  return { ...found, diagnostics: sortDiagnostics([...diagnostics, ...found.diagnostics]) };
}

/**
 * Everything that is wrong with a catalog but its settings, sorted: every folder, due or not, its writing, and the
 * catalog's own templates. `folders` are the names of all folders.
 */
export async function validateCatalog(
  cwd: string,
  settings: Settings,
  today: string,
  { vocabulary = settings, onProgress = () => {} }: { vocabulary?: KnownVocabulary; onProgress?: OnProgress } = {},
): Promise<{ folders: string[]; diagnostics: Diagnostic[] }> {
  const content = loadContent(cwd, vocabulary, today, (done, total) => onProgress('Reading agents', done, total));
  const { folders, diagnostics } = content;
  const selected = select(content, { today, future: true, drafts: true });
  const found = [
    ...diagnostics,
    ...folders.flatMap((folder, index) => {
      onProgress('Checking agents', index + 1, folders.length);
      return editorialFindings(folder, settings.language);
    }),
    ...renderFaults(cwd, withCategories(settings, vocabulary, selected), selected),
  ];
  return { folders: folders.map(({ slug }) => slug), diagnostics: sortDiagnostics(found) };
}

/** Settings with the categories that agents use, where those that they may use are not known. */
function withCategories(settings: Settings, { categories }: KnownVocabulary, { agents }: Selected): Settings {
  if (categories !== null) return settings;
  const used = agents.map(({ category }) => [category, { label: category, description: category }]);
  return { ...settings, categories: Object.fromEntries(used) };
}

/** What is wrong with agents that can't be rendered, or with the catalog's own templates. */
function renderFaults(cwd: string, settings: Settings, selected: Selected): readonly Diagnostic[] {
  try {
    const faults = trialFaults(cwd, settings, selected);
    const faulty = new Set(faults.map(({ slug }) => slug));
    const agents = selected.agents.filter(({ slug }) => !faulty.has(slug));
    if (hasTemplates(cwd)) tryTemplates(cwd, settings, { ...selected, agents });
    return faults;
  } catch (error) {
    if (error instanceof ContentError) return error.diagnostics;
    throw error;
  }
}

/** Renders one file of each output, social images too. Throws ContentError for a template that is not well-formed. */
function tryTemplates(cwd: string, settings: Settings, selected: Selected): void {
  const site = prepareSite(cwd, settings, selected, {
    preview: true,
    history: new Map(),
    cache: null,
    images: true,
  });
  try {
    for (const output of outputs) for (const file of first(output.files(site))) file.render();
  } finally {
    site.images.close();
  }
}

function* first<Item>(items: Iterable<Item>): Iterable<Item> {
  for (const item of items) {
    yield item;
    return;
  }
}

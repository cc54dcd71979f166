import { regressions } from '../content/check/published.ts';
import { fixed } from '../content/fix-and-rename.ts';
import { type Content, loadContent, parseSafely } from '../content/load.ts';
import type { ParsedFolder } from '../content/parse/parse.ts';
import { placeholderFindings } from '../content/parse/placeholders.ts';
import { readAgent, type SourceFolder } from '../content/read.ts';
import { findingsAcross } from '../content/rules/across.ts';
import { editorialFindings } from '../content/rules/index.ts';
import { type Selected, select } from '../content/schedule.ts';
import { checkSettings, type SettingsOverrides } from '../content/settings.ts';
import { zone } from '../lib/calendar.ts';
import type { OnProgress } from '../lib/lazy.ts';
import { frontMatterSchema } from '../schema/agent.ts';
import { ContentError, sortDiagnostics } from '../schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../schema/diagnostics/diagnostic.ts';
import { withRules } from '../schema/rules.ts';
import type { KnownVocabulary, Settings } from '../schema/settings.ts';
import { outputs } from '../site/index.ts';
import { digestMail } from '../site/mail/mail.ts';
import { makeSite } from '../site/make-site.ts';
import { trialProblems } from './build.ts';
import { hasTemplates, readTemplates } from './read-templates.ts';

/**
 * Returns all problems of a catalog: in its settings, in every folder, whether or not its agent is due, and of the
 * catalog's custom templates. If some settings are wrong, the agents are checked against the rest. `today` defaults to today
 * in the catalog's time zone. Problems in the writing of agents, and those that only rendering shows, are left out for agents
 * that are not in `named` (default: all): finding them takes longer than everything else.
 *
 * Throws UsageError if an override of the settings is wrong.
 */
export async function checkCatalog(
  cwd: string,
  { named, ...overrides }: SettingsOverrides & { today?: string | undefined; named?: ReadonlySet<string> | undefined },
  environment: NodeJS.ProcessEnv,
  onProgress: OnProgress = () => {},
) {
  const { settings, vocabulary, diagnostics } = checkSettings(cwd, overrides, environment);
  const today = overrides.today ?? zone(settings.timezone).today(new Date());
  const onFolder = (done: number, total: number) => onProgress('Reading agents', done, total);
  const content = loadContent(cwd, vocabulary, today, { onFolder });
  const { folders } = content;
  const others = named === undefined ? [] : folders.filter(({ slug }) => !named.has(slug));
  const judged = new WeakMap(others.map(({ texts }) => [texts, []]));
  const problems = diagnosticsOf(cwd, content, settings, { today, vocabulary, onProgress, judged });
  const drafts = folders.filter(({ schedule }) => schedule.draft);
  return {
    /** The names of all folders. */
    folders: folders.map(({ slug }) => slug),
    /** How many placeholders each draft still has, by slug. */
    drafts: new Map(
      drafts.map(({ slug, texts }) => [
        slug,
        [...texts().values()].flatMap((text) => placeholderFindings(text)).length,
      ]),
    ),
    /** All problems, sorted. */
    diagnostics: sortDiagnostics([...diagnostics, ...problems]),
    /** Returns how many of some of these problems `catalog fix` solves. */
    countFixable: (reported: readonly Diagnostic[]) => countFixable(reported, { cwd, settings, vocabulary }),
  };
}

/** Returns how many of these problems `catalog fix` solves: those that its changes to the files remove. */
function countFixable(
  diagnostics: readonly Diagnostic[],
  { cwd, settings, vocabulary }: { cwd: string; settings: Settings; vocabulary: KnownVocabulary },
): number {
  const schema = frontMatterSchema(vocabulary);
  const judge = (source: SourceFolder) => {
    const folder = parseSafely(source, schema, vocabulary.rules);
    const problems = [...folder.diagnostics, ...editorial(folder, settings)];
    return { names: problems.map(nameOf), isPublished: folder.schedule.issue !== null };
  };
  const nameOf = ({ file, code, message }: Diagnostic) => JSON.stringify([file, code, message]);
  const reported = new Set(diagnostics.map(nameOf));
  const faulty = new Set(diagnostics.map(({ slug }) => slug));
  const sources = [...faulty].flatMap((slug) => (slug === null ? [] : (readAgent(cwd, slug) ?? [])));
  return sources.reduce((count, source) => {
    const { names, isPublished } = judge(source);
    const left = new Set(judge(fixed(source, isPublished)).names);
    return count + names.filter((name) => reported.has(name) && !left.has(name)).length;
  }, 0);
}

interface VerdictOptions {
  today: string;
  vocabulary?: KnownVocabulary;
  onProgress?: OnProgress;
  /** The findings of the rules about the writing of folders, by their texts. Folders in it are neither judged nor rendered again. */
  judged?: WeakMap<ParsedFolder['texts'], Diagnostic[]>;
}

/**
 * Returns all problems of agents that were read, sorted. Every command that counts or lists the errors of a catalog gets
 * them here, so that they agree.
 */
export function diagnosticsOf(
  cwd: string,
  content: Content,
  settings: Settings,
  { today, vocabulary = settings, onProgress = () => {}, judged = new WeakMap() }: VerdictOptions,
): Diagnostic[] {
  const { folders, diagnostics } = content;
  const selected = select(content, { today, future: true, drafts: true });
  const unjudged = new Set(folders.filter(({ texts }) => !judged.has(texts)).map(({ slug }) => slug));
  const problems = renderProblems(cwd, withCategories(settings, vocabulary, selected), selected, unjudged);
  const faulty = new Set(problems.map(({ slug }) => slug));
  const judgments = folders.flatMap((folder, index) => {
    onProgress('Checking agents', index + 1, folders.length);
    const findings = judged.get(folder.texts) ?? editorial(folder, settings);
    if (!faulty.has(folder.slug)) judged.set(folder.texts, findings);
    return findings;
  });
  return sortDiagnostics([
    ...diagnostics,
    ...judgments,
    ...withRules([...findingsAcross(folders), ...regressions(cwd, folders)], settings.rules),
    ...problems,
  ]);
}

/** Returns the findings of the editorial rules about a folder, with the severities of the settings. */
export function editorial(folder: ParsedFolder, { language, rules }: Settings): Diagnostic[] {
  return withRules(editorialFindings(folder, language), rules);
}

/** If the categories in the settings are unknown, adds those that agents use. */
function withCategories(settings: Settings, { categories }: KnownVocabulary, { agents }: Selected): Settings {
  if (categories !== null) return settings;
  const used = agents.map(({ category }) => [category, { label: category, description: category }]);
  return { ...settings, categories: Object.fromEntries(used) };
}

/**
 * The problems that appear only when agents are rendered: agents that cannot be rendered, and invalid custom templates.
 */
function renderProblems(cwd: string, settings: Settings, selected: Selected, slugs: ReadonlySet<string>) {
  try {
    const problems = trialProblems(cwd, settings, selected, slugs);
    const faulty = new Set(problems.map(({ slug }) => slug));
    const agents = selected.agents.filter(({ slug }) => !faulty.has(slug));
    if (hasTemplates(cwd)) tryTemplates(cwd, settings, { ...selected, agents });
    return problems;
  } catch (error) {
    if (error instanceof ContentError) return error.diagnostics;
    throw error;
  }
}

/** Renders one file of each output, including social images, and the email of a week. Throws ContentError if a template is malformed. */
function tryTemplates(cwd: string, settings: Settings, selected: Selected): void {
  const site = makeSite(readTemplates(cwd), settings, selected, { preview: true, images: true });
  try {
    for (const output of outputs) {
      for (const file of output.files(site)) {
        const content = file.render(() => '');
        if (typeof content === 'function') content(() => {});
        // The first part of a list is its head.
        if (typeof content === 'object' && !(content instanceof Uint8Array))
          content.slice(0, 2).map((part) => part.render());
        break;
      }
    }
    if (site.agents.length > 0) digestMail(site, site.agents.slice(0, 1), null);
    site.images.finish();
  } finally {
    site.images.close();
  }
}

import { existsSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { readHistory } from '../../content/history.ts';
import { parseSafely, settleContent } from '../../content/load.ts';
import type { ParsedFolder } from '../../content/parse/parse.ts';
import { readAgent, readAgents, type SourceFolder } from '../../content/read.ts';
import { editorialRules } from '../../content/rules/index.ts';
import { select } from '../../content/schedule.ts';
import { loadSettings } from '../../content/settings.ts';
import { zone } from '../../lib/calendar.ts';
import { forEachStamp, noStamps, outputStampOf, type Stamps, sourceStamps, statsOf } from '../../lib/files.ts';
import { compareText } from '../../lib/text.ts';
import { programFolder } from '../../program.ts';
import { frontMatterSchema, type NumberedAgent } from '../../schema/agent.ts';
import { ContentError } from '../../schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../../schema/diagnostics/diagnostic.ts';
import type { Settings } from '../../schema/settings.ts';
import { makeSite, withTexts } from '../../site/make-site.ts';
import type { TemplateFiles } from '../../site/shared/templates.ts';
import type { Site } from '../../site/site.ts';
import { gitMemory } from '../last-build.ts';
import { readTemplates } from '../read-templates.ts';
import { tryAgents } from '../render.ts';
import { diagnosticsOf, editorial } from '../validate.ts';

/** The changes on the disk since the last update. */
export interface Changes {
  /** The names of changed folders in agents/, or `all`. */
  agents: ReadonlySet<string> | 'all';
  settings: boolean;
  templates: boolean;
}

export interface CatalogOptions {
  /** The catalog folder. */
  cwd: string;
  /** The address of the preview. */
  baseUrl: string;
  /** The day that decides which agents are published. @default the current day */
  today?: string | undefined;
  /** A folder for social images, or null. */
  cache: string | null;
}

interface Entry {
  /** The stamp of the folder when it was read. */
  stamp: string | null;
  folder: ParsedFolder;
}

/**
 * A catalog in memory while somebody edits it. An update reads only what changed. If a file has errors, its
 * last good version is used until they are fixed.
 */
export class WatchedCatalog {
  readonly #options: CatalogOptions;
  /** The files before they were first read. */
  readonly #since: Stamps;
  readonly #git: ReturnType<typeof gitMemory>;
  readonly #entries = new Map<string, Entry>();
  #settings: Settings | null = null;
  #schema = frontMatterSchema({ categories: null, difficulties: null, runtimes: null });
  #templates: TemplateFiles | null = null;
  /** The errors and warnings that decide whether an agent can be shown. */
  #findings: readonly Diagnostic[] = [];
  /** All errors and warnings of agents, as `catalog validate` reports them. */
  #diagnostics: readonly Diagnostic[] = [];
  /** The findings of the rules about folders that have not changed since. */
  #judged: NonNullable<Parameters<typeof diagnosticsOf>[3]['judged']> = new WeakMap();
  /** The agents that the last update left to `judge`, by slug. */
  #unjudged = new Set<string>();
  /** The rendering of these agents, as far as `judge` has come; null before it begins. */
  #trial: ReturnType<typeof tryAgents> | null = null;
  /** Whether checks and data that depend on all agents, such as related agents, are out of date. */
  isBehind = false;
  /** Increases when settings or templates change, and with them perhaps every file. */
  edition = 0;
  /** The last site that could be made, with drafts and scheduled agents; null if there is none yet. */
  site: Site | null = null;
  /** The errors that would stop a build of everything, and so are shown over the pages. */
  errors: readonly Diagnostic[] = [];
  /** Agents that are not published yet, by slug: `Draft`, or the day on which they are due. */
  unpublished: ReadonlyMap<string, string> = new Map();

  constructor(options: CatalogOptions) {
    this.#options = options;
    this.#since = lookAt(options.cwd);
    this.#git = gitMemory(options.cwd);
  }

  /** Reports changes since the catalog was opened, as `watchCatalog` does. */
  watch(options: WatchOptions): () => Promise<void> {
    return watchCatalog(this.#options.cwd, this.#since, options);
  }

  /** Reads what changed, and makes a new site. Errors that prevent it are in `errors`. */
  update({ agents, settings, templates }: Changes): void {
    const errors: Diagnostic[] = [];
    const attempt = (step: () => void) => {
      try {
        step();
      } catch (error) {
        if (!(error instanceof ContentError)) throw error;
        errors.push(...error.diagnostics);
      }
    };
    const hasChanges = settings || templates || agents === 'all' || agents.size > 0;
    this.#trial = null;
    // Until a broken file is fixed, every update tries it again and so reports its errors again.
    const again = settings || this.#isBroken('catalog.config.json');
    if (again) attempt(() => this.#readSettings());
    if (templates || this.#isBroken('templates/')) attempt(() => this.#readTemplates());
    const previous = this.#settings;
    if (previous === null) {
      this.errors = errors;
      return;
    }
    const before = new Map(this.#entries);
    attempt(() => this.#readAgents(again ? 'all' : agents, previous, again));
    const isSame = () =>
      before.size === this.#entries.size && [...this.#entries].every(([slug, entry]) => before.get(slug) === entry);
    const isUpToDate = () => (agents === 'all' ? this.site !== null && isSame() : this.#replaceTexts(agents, before));
    if (!again && !templates && errors.length === 0 && isUpToDate()) return;
    if (errors.every(({ slug }) => slug !== null)) attempt(() => this.#makeSite(previous, errors, hasChanges));
    this.errors = errors;
  }

  /** All errors: those for which `catalog validate` fails. */
  get allErrors(): readonly Diagnostic[] {
    return [...new Set([...this.errors, ...this.#diagnostics.filter(({ severity }) => severity === 'error')])];
  }

  /**
   * The findings of the rules about an agent: its errors and warnings, and the codes of the editorial rules that it follows. Null if
   * there is no such agent.
   */
  checksOf(slug: string) {
    const folder = this.#entries.get(slug)?.folder;
    if (folder === undefined) return null;
    const { rules = {} } = this.#settings ?? {};
    const findings = this.#diagnostics.filter((finding) => finding.slug === slug);
    const broken = new Set<string>(findings.map(({ code }) => code));
    const checked = folder.written === null || this.#unjudged.has(slug) ? [] : editorialRules;
    return { findings, passed: checked.filter((code) => !broken.has(code) && rules[code] !== 'off') };
  }

  /**
   * Judges agents that the last update left out, for `ms` milliseconds, so that an update without changes can tell all
   * errors at once. Returns whether some are left.
   */
  judge(ms: number): boolean {
    const { site } = this;
    const end = performance.now() + ms;
    try {
      while (site !== null && this.#unjudged.size > 0) {
        this.#trial ??= tryAgents(site, this.#unjudged);
        const { value: [slug, problems] = [] } = this.#trial.next();
        if (slug === undefined) break;
        const folder = this.#entries.get(slug)?.folder;
        if (folder && problems?.length === 0) this.#judged.set(folder.texts, editorial(folder, site.settings));
        this.#unjudged.delete(slug);
        if (performance.now() > end) return true;
      }
    } catch {
      // The next update meets the same error and reports it.
    }
    return false;
  }

  #isBroken(path: string): boolean {
    return this.errors.some(({ slug, file }) => slug === null && file.startsWith(path));
  }

  #readSettings(): void {
    const { cwd, baseUrl } = this.#options;
    const settings = loadSettings(cwd, { baseUrl }, {});
    this.#settings = { ...settings, runtimeUrl: settings.runtimeUrl === null ? null : baseUrl };
    this.#schema = frontMatterSchema(settings);
    this.#judged = new WeakMap();
    this.edition += 1;
  }

  #readTemplates(): void {
    this.#templates = readTemplates(this.#options.cwd);
    this.#judged = new WeakMap();
    this.edition += 1;
  }

  /** Reads changed folders. `again` also reads those whose stamp is the same. */
  #readAgents(changed: Changes['agents'], settings: Settings, again: boolean): void {
    const { cwd } = this.#options;
    const put = (source: SourceFolder) => {
      const stamp = source.stamp ?? null;
      const before = this.#entries.get(source.slug);
      if (!again && changed === 'all' && stamp !== null && stamp === before?.stamp) return;
      const folder = parseSafely(source, this.#schema, settings.rules);
      const agent = folder.agent ?? before?.folder.agent ?? null;
      this.#entries.set(source.slug, { stamp, folder: { ...folder, agent } });
    };
    if (changed === 'all') {
      const sources = readAgents(cwd);
      const names = new Set(sources.map(({ slug }) => slug));
      for (const slug of this.#entries.keys()) if (!names.has(slug)) this.#entries.delete(slug);
      sources.forEach(put);
      return;
    }
    for (const slug of changed) {
      const source = readAgent(cwd, slug);
      if (source === null) this.#entries.delete(slug);
      else put(source);
    }
  }

  /**
   * Updates the site at once if only texts changed, but no number, date or address, which is the usual case. Returns
   * whether it did. Data from the texts of all agents may then be out of date (`isBehind`). With 1,000 agents, this takes 3 ms
   * of processor time, and making the site again takes 200 ms.
   */
  #replaceTexts(slugs: ReadonlySet<string>, entries: ReadonlyMap<string, Entry>): boolean {
    const { site } = this;
    if (site === null || slugs.size === 0 || !this.#git.isCurrent() || this.errors.some(({ slug }) => slug === null)) {
      return false;
    }
    const agents = new Map<number, NumberedAgent>();
    for (const slug of slugs) {
      const [before, after] = [entries.get(slug)?.folder, this.#entries.get(slug)?.folder];
      const position = site.agents.findIndex((agent) => agent.slug === slug);
      const published = site.agents[position];
      if (before === undefined || after?.agent == null || published === undefined) return false;
      const hasOnlyOwnFindings = this.#findings.every(
        (finding) => finding.slug !== slug || before.diagnostics.includes(finding),
      );
      if (!hasOnlyOwnFindings || slotOf(before) !== slotOf(after)) return false;
      const { issue, date } = published;
      agents.set(position, { ...after.agent, issue, date });
      this.#unjudged.delete(slug);
    }
    const others = (diagnostics: readonly Diagnostic[]) => diagnostics.filter(({ slug }) => !slugs.has(slug ?? ''));
    const folders = [...slugs].flatMap((slug) => this.#entries.get(slug)?.folder ?? []);
    const own = folders.flatMap(({ diagnostics }) => diagnostics);
    this.#findings = [...others(this.#findings), ...own];
    this.errors = [...others(this.errors), ...own.filter(({ severity }) => severity === 'error')];
    const judged = folders.flatMap((folder) => editorial(folder, site.settings));
    this.#diagnostics = [...others(this.#diagnostics), ...own, ...judged];
    this.site = withTexts(site, agents);
    this.isBehind = true;
    return true;
  }

  /** With `mayWait`, many agents that were not judged yet are left to `judge`: their errors can come later than pages. */
  #makeSite(settings: Settings, errors: Diagnostic[], mayWait: boolean): void {
    const { cwd, cache } = this.#options;
    if (this.#templates === null) return;
    const today = this.#options.today ?? zone(settings.timezone).today(new Date());
    const folders = [...this.#entries.values()].map(({ folder }) => folder).sort((a, b) => compareText(a.slug, b.slug));
    this.#git.begin();
    const { rules } = settings;
    const content = settleContent(cwd, folders, { today, rules, numbers: 'expected', memory: this.#git });
    const history = this.#git.ofGit('history', () => readHistory(cwd));
    const selected = select(content, { today, future: true, drafts: true });
    this.#findings = content.diagnostics;
    const unjudged = folders.filter(({ texts }) => !this.#judged.has(texts)).map(({ slug }) => slug);
    this.isBehind = mayWait && unjudged.length > fewAgents;
    this.#unjudged = new Set(this.isBehind ? unjudged : []);
    this.#diagnostics = this.isBehind
      ? [...content.diagnostics, ...folders.flatMap(({ texts }) => this.#judged.get(texts) ?? [])]
      : diagnosticsOf(cwd, content, settings, { today, judged: this.#judged });
    errors.push(...selected.errors);
    this.unpublished = new Map(
      content.folders
        .filter(({ schedule: { issue, draft, date } }) => issue === null && (draft || (date ?? '') > today))
        .map(({ slug, schedule: { draft, date } }) => [slug, draft ? 'Draft' : `Due ${date}`]),
    );
    const before = this.site;
    const options = { preview: true, history: new Map(history.changes), cache, images: true };
    this.site = makeSite(this.#templates, settings, selected, options);
    before?.images.close();
  }
}

/** How many agents an update judges at once: about a quarter of a second. */
const fewAgents = 50;

/** The fields that decide an agent's number, date and addresses, as a text to compare. */
function slotOf({ schedule }: ParsedFolder): string {
  return JSON.stringify({ ...schedule, title: null });
}

interface WatchOptions {
  /** Whether to compare files every second instead of asking the system for changes. */
  poll: boolean;
  onChange(changes: Changes): void;
  /** Is called with an error that may have hidden changes. */
  onError(error: Error): void;
  /** Is called if the system cannot report changes, so that files are compared every second. */
  onFallback(code: string): void;
}

/** How long changes are collected, in milliseconds: editors and Git write several files at once. */
const collectMs = 10;
const pollMs = 1_000;
/** How long after a change the file is looked at again, in milliseconds. */
const settleMs = 100;

/** The program's own templates and scripts, which change for those who work on it. */
const programParts = ['templates', 'lib/browser'].map((path) => join(programFolder, path));

/** Returns the stamps of all files of a catalog that a preview depends on. `last` are earlier ones, which make it quicker. */
function lookAt(cwd: string, last = noStamps): Stamps {
  return sourceStamps(partsOf(cwd).files, last);
}

/**
 * Reports changes of agents, settings and templates. When all files are watched, they are compared with `since`, because the
 * system does not report earlier changes. Returns a function that ends it.
 */
function watchCatalog(cwd: string, since: Stamps, options: WatchOptions): () => Promise<void> {
  const { poll, onChange, onFallback, onError } = options;
  const parts = partsOf(cwd);
  let last = since;
  let agents: Set<string> | 'all' = new Set();
  let settings = false;
  let templates = false;
  let paths = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  let polling: NodeJS.Timeout | undefined;
  let ended = false;

  function report(): void {
    const changes = { agents, settings, templates };
    const reported = new Map([...paths].map((path) => [path, stampAt(path)]));
    [agents, settings, templates, paths, timer] = [new Set(), false, false, new Set(), undefined];
    onChange(changes);
    // chokidar does not notice when the folder of the catalog comes back.
    if (!existsSync(cwd)) restart(startPolling);
    // chokidar drops a second change within 50 ms, such as the rest of a file that was half saved.
    setTimeout(() => {
      for (const [path, stamp] of reported) if (!ended && stampAt(path) !== stamp) note(path);
    }, settleMs).unref();
  }

  function note(path: string): void {
    const { part, name } = parts.of(path);
    if (part === null) return;
    if (part === 'agents' && name === '') agents = 'all';
    else if (part === 'agents' && agents !== 'all') agents.add(name);
    settings ||= part === 'catalog.config.json';
    templates ||= part === 'templates';
    paths.add(path);
    timer ??= setTimeout(report, collectMs);
  }

  /** Notes every file that changed since the last time: all of them, once they can be read again after an error. */
  function compare(): void {
    try {
      const now = lookAt(cwd, last);
      for (const path of changedPaths(last, now)) note(path);
      last = now;
    } catch (error) {
      if (last === noStamps) return;
      onError(error as Error);
      last = noStamps;
      settings = true;
      timer ??= setTimeout(report, collectMs);
    }
  }

  /** Reports what changed before all files were watched, or that nothing did. */
  function begin(): void {
    agents = 'all';
    compare();
    timer ??= setTimeout(report, collectMs);
  }

  /** chokidar could do this too, but would miss a change before its own first look at a file, which may be late. */
  function startPolling(): void {
    if (ended) return;
    begin();
    polling = setInterval(compare, pollMs);
  }

  function open(): void {
    if (ended) return;
    watcher = watchParts(parts, { note, begin, reopen: () => restart(open) });
    watcher.on('error', (error) => {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!['ENOSPC', 'EMFILE', 'ENFILE'].includes(code)) return onError(error as Error);
      onFallback(code);
      restart(startPolling);
    });
  }

  /** Watches anew with `start`, which reports what changes until then. */
  function restart(start: () => void): void {
    watcher?.close().then(start);
    watcher = undefined;
  }

  (poll ? startPolling : open)();
  return async () => {
    ended = true;
    clearTimeout(timer);
    clearInterval(polling);
    await watcher?.close();
  };
}

/** Watches the parts of a catalog until a folder of them is replaced: `reopen` has to begin anew then. */
function watchParts(
  { roots, of }: ReturnType<typeof partsOf>,
  { note, begin, reopen }: { note(path: string): void; begin(): void; reopen(): void },
): FSWatcher {
  const ignored = (path: string) => of(path).part === null;
  const watcher = watch(roots, { ignoreInitial: true, followSymlinks: false, ignored });
  const folders = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  watcher.on('all', (_event, path) => note(path));
  watcher.on('ready', () => {
    for (const path of Object.keys(watcher.getWatched())) folders.add(path);
    watcher.on('addDir', (path) => folders.add(path));
    watcher.on('unlinkDir', (path) => folders.delete(path));
    begin();
  });
  // If a folder is removed and made again at once, as in a rebase, chokidar does not watch the new one. Before it is ready,
  // that can happen to any folder. Where it polls, as with CHOKIDAR_USEPOLLING, it tells no folder and no such event.
  watcher.on('raw', (event, name, details) => {
    const path = join((details as { watchedPath?: string }).watchedPath ?? '', name ?? '');
    if (event !== 'rename' || (folders.size > 0 && !folders.has(path)) || !existsSync(path)) return;
    clearTimeout(timer);
    timer = setTimeout(reopen, settleMs);
  });
  return watcher;
}

/** The paths whose stamps differ. A stamp that can hide a change counts as different. */
function changedPaths(before: Stamps, now: Stamps): string[] {
  const changed: string[] = [];
  const left = new Map<string, string | null>();
  forEachStamp(before, (path, stamp) => left.set(path, stamp));
  forEachStamp(now, (path, stamp) => {
    if (stamp === null || left.get(path) !== stamp) changed.push(path);
    left.delete(path);
  });
  return [...changed, ...left.keys()];
}

function stampAt(path: string): string {
  const stats = statsOf(path);
  return stats === undefined ? '' : `${outputStampOf(stats)} ${stats.ctimeMs}`;
}

/** The files and folders of a catalog that a preview depends on. */
const catalogParts = ['agents', 'templates', 'catalog.config.json'];

/** Tells the parts of a catalog apart by path. Those that are links count where they lead. */
function partsOf(cwd: string) {
  const root = realpathSync(cwd);
  const linked = catalogParts.flatMap((part) => {
    const path = join(root, part);
    const real = existsSync(path) ? realpathSync(path) : path;
    return real === path ? [] : [{ root: real, prefix: [part] }];
  });
  const own = programParts.filter((path) => existsSync(path)).map((path) => ({ root: path, prefix: ['templates'] }));
  const bases = [{ root, prefix: [] as string[] }, ...linked, ...own];
  return {
    roots: bases.map((base) => base.root),
    files: [...catalogParts.map((part) => join(root, part)), ...own.map((base) => base.root)],
    of(path: string): { part: string | null; name: string } {
      for (const base of bases) {
        const below = relative(base.root, path).split(sep);
        const names = [...base.prefix, ...below.filter((name) => name !== '')];
        const [part = '', name = ''] = names;
        if (['', ...catalogParts].includes(part) && !names.some((each) => each.startsWith('.'))) return { part, name };
      }
      return { part: null, name: '' };
    },
  };
}

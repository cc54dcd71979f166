import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { isDay, zone } from '../lib/calendar.ts';
import { OperationError, orElse, UsageError } from '../lib/errors.ts';
import { visible } from '../lib/text.ts';
import { isLater, programVersion } from '../program.ts';
import { ContentError } from '../schema/diagnostics/content-error.ts';
import { databaseUrl } from '../storage/database.ts';
import type { Console } from './console.ts';

/**
 * The path from the root of the repository in GitHub Actions (`GITHUB_WORKSPACE`) to the folder of the catalog, empty or
 * with a slash at its end. The paths of annotations start there.
 */
function repositoryPrefix(cwd: string, { GITHUB_WORKSPACE }: NodeJS.ProcessEnv): string {
  if (GITHUB_WORKSPACE === undefined || GITHUB_WORKSPACE === '') return '';
  const path = relative(GITHUB_WORKSPACE, cwd).split(sep).join('/');
  return path === '' || path.startsWith('..') ? '' : `${path}/`;
}

/** Options that several commands share, each defined once. */
const sharedOptions = {
  cwd: () =>
    new Option('--cwd <dir>', 'catalog folder').default(
      catalogAround(process.cwd()),
      'this folder or the nearest one above it with catalog.config.json',
    ),
  out: () => new Option('--out <dir>', 'build folder, relative to the catalog folder (or CATALOG_DIST; default: dist)'),
  baseUrl: () =>
    new Option('--base-url <url>', 'public address of the site; overrides the settings (or CATALOG_BASE_URL)'),
  runtimeUrl: () =>
    new Option('--runtime-url <url>', 'address of the server; overrides the settings (or CATALOG_RUNTIME_URL)'),
  today: () => new Option('--today <YYYY-MM-DD>', 'pretend today is this date').argParser(parseDay),
  data: () => new Option('--data <dir>', 'folder with votes and subscribers (or CATALOG_DATA; default: data)'),
  since: () => new Option('--since <YYYY-MM-DD>', 'only from this day on (UTC)').argParser(parseDay),
};

/** A command of the program. Its subcommands are of the same class. */
export class CatalogCommand extends Command {
  override createCommand(name?: string): CatalogCommand {
    return new CatalogCommand(name);
  }

  /** Adds options that several commands share. */
  share(...names: (keyof typeof sharedOptions)[]): this {
    for (const name of names) this.addOption(sharedOptions[name]());
    return this;
  }

  /** Adds `--format` with these formats, of which the first is the default. */
  formats(...formats: Format[]): this {
    return this.addOption(new Option('--format <format>', 'output format').choices(formats).default(formats[0]));
  }

  /**
   * Adds a text below the options in the help. Its examples get the form that is safe to type: npx runs a package called
   * `catalog` by somebody else if this program is not installed, and `--no` keeps it from downloading any.
   */
  explain(text: string): this {
    return this.addHelpText(
      'after',
      text.replace(/^( {2}\$ (?:\w+=\S+ )?)catalog /gm, `$1npx --no daily-agent-catalog `),
    );
  }
}

/** How a command prints its result: for people, or for programs. */
export type Format = 'pretty' | 'json' | 'github' | 'csv';

/** The values of the shared options, before the settings are read. */
export interface CommonFlags {
  cwd: string;
  out?: string;
  baseUrl?: string;
  runtimeUrl?: string;
  today?: string;
  format: Format;
}

/** The flags that say where votes or subscribers are stored. */
export interface StoreFlags {
  cwd: string;
  data?: string;
  file?: string;
}

/** Loads the settings of the catalog that the flags name, with today's date in its time zone. */
export async function openCatalog(flags: Pick<CommonFlags, 'cwd' | 'baseUrl' | 'runtimeUrl' | 'today'>) {
  const { loadSettings } = await import('../content/settings.ts');
  const cwd = resolve(flags.cwd);
  const settings = loadSettings(cwd, flags, process.env);
  return { cwd, settings, today: flags.today ?? zone(settings.timezone).today(new Date()) };
}

/** Opens the catalog that the flags name and reads its agents. Throws ContentError if agents/ cannot be read. */
export async function openContent(flags: Parameters<typeof openCatalog>[0], numbers: 'due' | 'all' = 'due') {
  const { loadContent } = await import('../content/load.ts');
  const opened = await openCatalog(flags);
  const content = loadContent(opened.cwd, opened.settings, opened.today, { numbers });
  const unreadable = content.diagnostics.filter(({ slug }) => slug === null);
  if (unreadable.length > 0) throw new ContentError(unreadable);
  return { ...opened, content };
}

/** Says if the files that `catalog init` copied are of another version of the program. */
export function noticeOldCopies(cwd: string, terminal: Console): void {
  const version = versionOfCopies(cwd);
  if (version === null || version === programVersion) return;
  const advice = isLater(version) ? 'Install that version' : 'Run npx --no daily-agent-catalog upgrade';
  terminal.say(
    `notice: the workflows and other files that init copied are of version ${visible(version)}, and the program is ${programVersion}. ${advice}.\n`,
  );
}

function versionOfCopies(cwd: string): string | null {
  const read = (path: string) => readFileSync(join(cwd, path), 'utf8');
  const listed = orElse(() => String(JSON.parse(read('.catalog/files.json')).version), null);
  if (listed !== null) return listed;
  // Version 0.1.0 made no list of files. Its workflows start the program in another way.
  const isFirst = orElse(() => read('.github/workflows/publish.yml').includes(' --no catalog '), false);
  return isFirst ? '0.1.0' : null;
}

/** Runs a command that changes agents while no other one does. */
export async function changingAgents<Result>(
  flags: Pick<CommonFlags, 'cwd'>,
  terminal: Console,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const { asOnlyEditor } = await import('../publish/checkout.ts');
  return asOnlyEditor(resolve(flags.cwd), work, (message) => terminal.say(message));
}

/** `withDatabase` of storage/postgres.ts, which is loaded now: most commands use no database. */
export const withDatabase: typeof import('../storage/postgres.ts').withDatabase = async (url, work) =>
  (await import('../storage/postgres.ts')).withDatabase(url, work);

/** Returns the nearest folder with settings, from `folder` upward; `.` if that is `folder` itself or there is none. */
export function catalogAround(folder: string): string {
  for (let path = folder; ; path = dirname(path)) {
    if (existsSync(join(path, 'catalog.config.json'))) return path === folder ? '.' : path;
    if (dirname(path) === path) return '.';
  }
}

/** The build folder: `--out`, else CATALOG_DIST, relative to the catalog folder. */
export function outFolder({ cwd, out }: Pick<CommonFlags, 'cwd' | 'out'>): string {
  return resolve(cwd, firstOf(out, process.env.CATALOG_DIST, 'dist'));
}

/** The folder with votes and subscribers: `--data`, else CATALOG_DATA, relative to the catalog folder. */
export function dataFolder({ cwd, data }: { cwd: string; data?: string }): string {
  return resolve(cwd, firstOf(data, process.env.CATALOG_DATA, 'data'));
}

/** Returns DATABASE_URL. Throws UsageError if it is not set. */
export function requiredDatabase(): string {
  const url = databaseUrl(process.env);
  if (url === null) throw new UsageError('Set DATABASE_URL to a connection URI of the database.');
  return url;
}

/**
 * Returns the slug that an argument names. The argument is a slug, or a path to the folder of an agent or a file in it,
 * relative to `here` or to the catalog folder `cwd`.
 */
export function slugOf(argument: string, cwd: string, here = process.cwd()): string {
  if (/^[^./\\]+$/.test(argument)) return argument;
  const agents = resolve(cwd, 'agents');
  // Messages print paths relative to the catalog folder, and they can be pasted from any folder.
  const bases = /^agents[/\\]/.test(argument) ? [resolve(cwd)] : [here, resolve(cwd)];
  for (const base of bases) {
    const path = relative(agents, resolve(base, argument));
    const [first = ''] = path.split(sep);
    if (first !== '' && first !== '..' && !isAbsolute(path)) return first;
  }
  return argument.replace(/[/\\]+$/, '');
}

/**
 * Returns the slugs that arguments name, each once. Throws OperationError if `allowed` lacks one of them, and suggests the
 * nearest one in `folders`.
 */
export async function namedAgents(
  named: readonly string[],
  cwd: string,
  folders: readonly string[],
  allowed: ReadonlySet<string | null> = new Set(folders),
): Promise<string[]> {
  const slugs = [...new Set(named.map((argument) => slugOf(argument, cwd)))];
  const unknown = slugs.filter((slug) => !allowed.has(slug));
  if (unknown.length === 0) return slugs;
  const { nearest } = await import('../schema/diagnostics/suggestions.ts');
  const messages = unknown.map((slug) => {
    const meant = nearest(slug, folders);
    return `There is no agent ${visible(slug)} in agents/.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
  });
  throw new OperationError(messages.join('\nerror: '));
}

/** Prints errors to stdout for programs: as JSON, or as annotations of GitHub Actions. */
export async function printForMachines(
  { diagnostics }: Pick<ContentError, 'diagnostics'>,
  { format, cwd, terminal }: { format: Format; cwd: string; terminal: Console },
): Promise<void> {
  const { githubReport, jsonReport } = await import('../schema/diagnostics/report.ts');
  if (format === 'json') terminal.printJson(jsonReport(diagnostics));
  if (format === 'github' && diagnostics.length > 0) {
    terminal.printCommands(`${githubReport(diagnostics, repositoryPrefix(cwd, process.env))}\n`);
  }
}

/** The flag's value, else the environment's, else the fallback. An empty environment variable counts as unset. */
export function firstOf(flag: string | undefined, inherited: string | undefined, fallback: string): string {
  return flag ?? (inherited === undefined || inherited === '' ? fallback : inherited);
}

/** Throws UsageError if more than one of some flags is given: all but one would have no effect. */
export function atMostOneOf(flags: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(flags).filter((flag) => flags[flag] !== undefined);
  if (names.length > 1) throw new UsageError(`Give only one of ${names.join(', ').replace(/, (?=[^,]*$)/, ' and ')}.`);
}

/** Returns the instant at which the day of `--since` begins. */
export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

/**
 * The options of a subcommand, wherever they appear on the command line.
 *
 * Throws UsageError for an option that only the parent command has, since it would have no effect.
 */
export function subcommandFlags<Flags>(command: Command): Flags {
  const own = new Set(command.options.map((option) => option.attributeName()));
  for (const option of command.parent?.options ?? []) {
    const name = option.attributeName();
    if (!own.has(name) && command.parent?.getOptionValueSource(name) === 'cli') {
      throw new UsageError(`${command.parent.name()} ${command.name()} does not take ${option.long}.`);
    }
  }
  return command.optsWithGlobals() as Flags;
}

function parseDay(text: string): string {
  if (!isDay(text)) throw new InvalidArgumentError('It must be a calendar date, written as YYYY-MM-DD.');
  return text;
}

/** Parses a whole number from `least` to `most`. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text || 'none');
    if (!Number.isInteger(number) || number < least || number > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return number;
  };
}

/**
 * The cache folder: `CATALOG_CACHE`, or else a folder of this program where the system keeps user caches; null if
 * neither is known.
 */
export function cacheFolder(
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string | null {
  if (environment.CATALOG_CACHE) return environment.CATALOG_CACHE;
  const caches = userCaches(environment, platform);
  return caches === null ? null : join(caches, 'daily-agent-catalog');
}

function userCaches(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | null {
  if (platform === 'win32') return environment.LOCALAPPDATA || null;
  if (environment.XDG_CACHE_HOME) return environment.XDG_CACHE_HOME;
  if (!environment.HOME) return null;
  return platform === 'darwin' ? join(environment.HOME, 'Library', 'Caches') : join(environment.HOME, '.cache');
}

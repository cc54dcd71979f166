import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isDay, zone } from '../calendar.ts';
import type { Settings } from '../catalog/settings.ts';
import { type ContentError, UsageError } from '../diagnostics/diagnostic.ts';
import { type ReportFormat, reportFormats } from '../diagnostics/report.ts';
import type { Console } from './console.ts';

/** Options that several commands share, each stated once. */
export const cwdOption = () =>
  new Option('--cwd <dir>', "the catalog's folder").default(
    catalogAround(process.cwd()),
    'the nearest folder with catalog.config.json, from here up',
  );
export const outOption = () =>
  new Option('--out <dir>', "the folder of the build, from the catalog's (or CATALOG_DIST; default: dist)");
export const baseUrlOption = () =>
  new Option('--base-url <url>', 'where readers find the files, in place of the settings (or CATALOG_BASE_URL)');
export const runtimeUrlOption = () =>
  new Option('--runtime-url <url>', 'where votes, sign-ups and MCP live (or CATALOG_RUNTIME_URL)');
export const todayOption = () =>
  new Option('--today <YYYY-MM-DD>', 'the day to act as if it were, for repeatable runs').argParser(parseDay);
export const futureOption = () => new Option('--future', 'also agents that are not due yet (a preview)');
export const draftsOption = () => new Option('--drafts', 'also drafts (a preview)');
export const jsonOption = () => new Option('--json', 'print the result as JSON');
export const formatOption = (about: string) => new Option('--format <format>', about).choices(reportFormats);
export const dataOption = () =>
  new Option('--data <dir>', 'the folder of votes and sign-ups (or CATALOG_DATA; default: data)');
export const sinceOption = () =>
  new Option('--since <YYYY-MM-DD>', 'only from the start of this day on, UTC').argParser(parseDay);

/** What the shared options give, before the settings are read. */
export interface CommonFlags {
  cwd: string;
  out?: string;
  baseUrl?: string;
  runtimeUrl?: string;
  today?: string;
  future?: boolean;
  drafts?: boolean;
  json?: boolean;
}

/** The settings of the catalog that the flags name, and the day that it is for it. */
export async function openCatalog(flags: Pick<CommonFlags, 'cwd' | 'baseUrl' | 'runtimeUrl' | 'today'>): Promise<{
  cwd: string;
  settings: Settings;
  today: string;
}> {
  const { loadSettings } = await import('../catalog/settings.ts');
  const cwd = resolve(flags.cwd);
  const settings = loadSettings(cwd, flags, process.env);
  return { cwd, settings, today: flags.today ?? zone(settings.timezone).today(new Date()) };
}

/** The catalog's folder that `folder` is in or below, as git finds its own; `.` where it is `folder`, or there is none. */
export function catalogAround(folder: string): string {
  for (let path = folder; ; path = dirname(path)) {
    if (existsSync(join(path, 'catalog.config.json'))) return path === folder ? '.' : path;
    if (dirname(path) === path) return '.';
  }
}

/** The folder of the build: of `--out`, else of CATALOG_DIST, from the catalog's folder. */
export function outFolder({ cwd, out }: Pick<CommonFlags, 'cwd' | 'out'>): string {
  return resolve(cwd, given(out, process.env.CATALOG_DIST, 'dist'));
}

/**
 * The slug that an argument names: itself, or the path of the agent's folder or of a file in it. Paths start from `here`,
 * or from the catalog's folder `cwd`.
 */
export function slugOf(argument: string, cwd: string, here = process.cwd()): string {
  if (/^[^./\\]+$/.test(argument)) return argument;
  const agents = resolve(cwd, 'agents');
  // Messages print paths from the catalog's folder: they can be pasted wherever the person is.
  const bases = /^agents[/\\]/.test(argument) ? [resolve(cwd)] : [here, resolve(cwd)];
  for (const base of bases) {
    const path = relative(agents, resolve(base, argument));
    const [first = ''] = path.split(sep);
    if (first !== '' && first !== '..' && !isAbsolute(path)) return first;
  }
  return argument.replace(/[/\\]+$/, '');
}

/** How a command prints: as `--format` says, else as JSON with `--json`, else for people. */
export function formatOf({ format, json }: { format?: ReportFormat; json?: boolean }): ReportFormat {
  return format ?? (json ? 'json' : 'pretty');
}

/** Prints to stdout what stops a command, where a machine reads it: as JSON, or as annotations of GitHub Actions. */
export async function printForMachines(
  { diagnostics }: ContentError,
  { format, cwd, terminal }: { format: ReportFormat; cwd: string; terminal: Console },
): Promise<void> {
  const { githubReport, jsonReport } = await import('../diagnostics/report.ts');
  const { repositoryPrefix } = await import('../github/repository-prefix.ts');
  if (format === 'json') terminal.printJson(jsonReport(diagnostics));
  if (format === 'github') terminal.printCommands(`${githubReport(diagnostics, repositoryPrefix(cwd, process.env))}\n`);
}

/** A flag's value, else the environment's, else the fallback; an empty text in the environment counts as none. */
export function given(flag: string | undefined, inherited: string | undefined, fallback: string): string {
  return flag ?? (inherited === undefined || inherited === '' ? fallback : inherited);
}

/** The instant at which a day of `--since` begins. */
export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

/**
 * The options of a subcommand, wherever on the line they stood.
 *
 * Throws UsageError for one that the command above it takes and it does not: it would have no effect.
 */
export function subcommandFlags<Flags>(command: Command): Flags {
  const own = new Set(command.options.map((option) => option.attributeName()));
  for (const option of command.parent?.options ?? []) {
    const name = option.attributeName();
    if (!own.has(name) && command.parent?.getOptionValueSource(name) === 'cli') {
      throw new UsageError(`${command.parent.name()} ${command.name()} takes no ${option.long}.`);
    }
  }
  return command.optsWithGlobals() as Flags;
}

function parseDay(text: string): string {
  if (!isDay(text)) throw new InvalidArgumentError('It has to be a day of the calendar as YYYY-MM-DD.');
  return text;
}

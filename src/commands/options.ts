import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { isDay, zone } from '../calendar.ts';
import { loadSettings, type Settings } from '../settings.ts';

/** Options that several commands share, each stated once. */
export const cwdOption = () => new Option('--cwd <dir>', "the catalog's folder").default('.', 'here');
export const outOption = () => new Option('--out <dir>', 'the folder of the build').default('dist');
export const baseUrlOption = () =>
  new Option('--base-url <url>', 'where readers find the files, in place of the settings (or CATALOG_BASE_URL)');
export const runtimeUrlOption = () =>
  new Option('--runtime-url <url>', 'where votes, sign-ups and MCP live (or CATALOG_RUNTIME_URL)');
export const todayOption = () =>
  new Option('--today <YYYY-MM-DD>', 'the day to act as if it were, for repeatable runs').argParser(parseDay);
export const futureOption = () => new Option('--future', 'also agents that are not due yet (a preview)');
export const draftsOption = () => new Option('--drafts', 'also drafts (a preview)');
export const jsonOption = () => new Option('--json', 'print the result as JSON');

/** What the shared options give, before the settings are read. */
export interface CommonFlags {
  cwd: string;
  out: string;
  baseUrl?: string;
  runtimeUrl?: string;
  today?: string;
  future?: boolean;
  drafts?: boolean;
  json?: boolean;
}

/** The settings of the catalog that the flags name, and the day that it is for it. */
export function openCatalog(flags: Pick<CommonFlags, 'cwd' | 'baseUrl' | 'runtimeUrl' | 'today'>): {
  cwd: string;
  settings: Settings;
  today: string;
} {
  const cwd = resolve(flags.cwd);
  const settings = loadSettings(cwd, flags, process.env);
  return { cwd, settings, today: flags.today ?? zone(settings.timezone).today(new Date()) };
}

function parseDay(text: string): string {
  if (!isDay(text)) throw new InvalidArgumentError('It has to be a day of the calendar as YYYY-MM-DD.');
  return text;
}

import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { addDays, zone } from '../calendar.ts';
import { gitFiles } from '../git/stamp.ts';
import { programFiles } from '../program.ts';
import type { BuildInfo } from '../schema/build-info.ts';
import { areOutputsUnchanged, areSourcesUnchanged, folderStamps, type Stamps, sourceStamps } from '../stamps.ts';
import { memoryFile, readChecked, writeChecked } from './memory.ts';
import type { FileRecord } from './write.ts';

/**
 * Finds out whether a build would change nothing, without loading the code that renders. It compares the stamps (see
 * ../stamps.ts) of everything that builds read, and of everything that the last build wrote.
 */

/** Where a build reads and writes, and what else decides its bytes. */
export interface Place {
  /** The catalog folder. */
  cwd: string;
  out: string;
  /** The cache folder. */
  cache: string;
  /** The command's options and environment variables, except the day. */
  options: readonly unknown[];
}

/** What is printed of a build. */
interface Outcome {
  /** The day for which it was built. */
  day: string;
  info: BuildInfo;
  historyMissing: string | null;
}

interface LastBuild extends Outcome {
  options: string;
  /** When the day begins and ends in the catalog's time zone, in milliseconds since 1970. */
  begin: number;
  end: number;
  inputs: Stamps;
  /** The build folder with links resolved. */
  root: string;
  outputs: Stamps;
}

/** Returns the stamps of everything that a build reads; null if something has just been changed. */
export function inputsOf({ cwd }: Place): Stamps | null {
  const git = gitFiles(cwd);
  const own = ['agents', 'templates', 'catalog.config.json'].map((name) => join(cwd, name));
  return git === null ? null : sourceStamps([...own, ...programFiles, ...git]);
}

/**
 * Returns the last build into a folder if another build would be the same, and null otherwise. `today` is the day to build
 * for, by default the current one.
 */
export function unchangedBuild(place: Place, today: string | undefined): Outcome | null {
  const last = readChecked<LastBuild>(lastFile(place));
  if (last?.options !== optionsOf(place) || gitFiles(place.cwd) === null) return null;
  if (!existsSync(place.out) || realpathSync(place.out) !== last.root || hasLeftovers(last.root)) return null;
  const isDay = today === undefined ? isWithin(Date.now(), last) : today === last.day;
  return isDay && areSourcesUnchanged(last.inputs) && areOutputsUnchanged(last.outputs) ? last : null;
}

/** Remembers a build without warnings. `inputs` are those before it, and `files` those that it wrote or left unchanged. */
export function rememberBuild(
  place: Place,
  { inputs, timezone, ...outcome }: Outcome & { inputs: Stamps; timezone: string },
  files: ReadonlyMap<string, FileRecord>,
): void {
  if (!existsSync(place.out)) return;
  const root = realpathSync(place.out);
  const { startOfDay } = zone(timezone);
  const last: LastBuild = {
    ...outcome,
    options: optionsOf(place),
    begin: startOfDay(outcome.day).getTime(),
    end: startOfDay(addDays(outcome.day, 1)).getTime(),
    inputs,
    root,
    outputs: [
      ...folderStamps(root, files.keys()),
      ...Array.from(files, ([path, { stamp }]): [string, string] => [`${root}/${path}`, stamp]),
    ],
  };
  writeChecked(lastFile(place), last);
}

/** Whether a killed build left something next to the folder, such as new files that a server already reads. */
function hasLeftovers(root: string): boolean {
  return readdirSync(dirname(root)).some((name) => name.startsWith(`.${basename(root)}.`));
}

function isWithin(now: number, { begin, end }: LastBuild): boolean {
  return begin <= now && now < end;
}

function optionsOf({ cwd, options }: Place): string {
  return JSON.stringify([cwd, options, process.versions]);
}

function lastFile({ cache, out }: Place): string {
  return memoryFile(cache, out, 'last');
}

import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { addDays, zone } from '../lib/calendar.ts';
import { areOutputsUnchanged, areSame, areSettled, outputStamps, type Stamps, sourceStamps } from '../lib/files.ts';
import { programFiles, programVersion } from '../program.ts';
import type { BuildInfo } from '../schema/documents.ts';
import type { BuildResult } from './build.ts';
import { gitFiles, isInRepository } from './git-stamp.ts';
import { memoryFile, readChecked, writeChecked } from './last-build.ts';

/**
 * Finds out whether a build would change nothing, without loading the code that renders. It compares the stamps (see
 * lib/files.ts) of everything that builds read, and of everything that the last build wrote.
 */

/** Where a build reads and writes, and what else decides its bytes. */
interface Place {
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

interface LastBuild<Saved> extends Outcome {
  options: string;
  /** When the day begins and ends in the catalog's time zone, in milliseconds since 1970. */
  begin: number;
  end: number;
  inputs: Saved;
  /** The build folder with links resolved. */
  root: string;
  outputs: Saved;
}

/** Stamps as JSON. Numbers in base64 are read twenty times faster than decimals, and one text faster than thousands. */
interface SavedStamps {
  /** With a NUL between them, which no path contains. */
  paths: string;
  numbers: string;
}

/**
 * Finds the last build into a folder if another build would be the same. `today` is the day to build for, by default the
 * current one. `inputs` are the stamps of everything that a build reads, or null if they cannot tell whether it changed.
 */
export function checkUnchanged(
  place: Place,
  today: string | undefined,
): { unchanged: Outcome | null; inputs: Stamps | null } {
  const git = gitFiles(place.cwd);
  if (git === null) return { unchanged: null, inputs: null };
  const last = readLast(place);
  const own = ['agents', 'templates', 'catalog.config.json'].map((name) => join(place.cwd, name));
  const inputs = sourceStamps([...own, ...programFiles, ...git], last?.inputs);
  return {
    unchanged: last !== null && areSame(last.inputs, inputs) && isSame(last, place, today) ? last : null,
    inputs,
  };
}

/** Whether a build of the same inputs as the last would write the same files. */
function isSame(last: LastBuild<Stamps>, place: Place, today: string | undefined): boolean {
  if (!existsSync(place.out) || realpathSync(place.out) !== last.root || hasLeftovers(last.root)) return false;
  const isDay = today === undefined ? isWithin(Date.now(), last) : today === last.day;
  return isDay && areOutputsUnchanged(last.outputs);
}

/** Remembers a build without warnings for which git did not fail. `inputs` are those before it. */
export function rememberBuild(
  place: Place,
  { inputs, timezone, ...outcome }: Outcome & { inputs: Stamps; timezone: string },
  { files, folders }: Pick<BuildResult, 'files' | 'folders'>,
): void {
  if (!existsSync(place.out) || !areSettled(inputs)) return;
  // Git may have failed for a reason that no stamp shows.
  if (outcome.historyMissing !== null && isInRepository(place.cwd)) return;
  const root = realpathSync(place.out);
  const { startOfDay } = zone(timezone);
  const last: LastBuild<SavedStamps> = {
    ...outcome,
    options: optionsOf(place),
    begin: startOfDay(outcome.day).getTime(),
    end: startOfDay(addDays(outcome.day, 1)).getTime(),
    inputs: savedOf(inputs),
    root,
    outputs: savedOf(outputsIn(root, { files, folders })),
  };
  writeChecked(lastFile(place), last);
}

/** The stamps of a build. A file with several names has one of them: as long as its folders stay, so do the other names. */
function outputsIn(root: string, { files, folders }: Pick<BuildResult, 'files' | 'folders'>): Stamps {
  const once = new Map<string, string>();
  for (const [path, { stamp }] of files) once.set(stamp, path);
  const paths = [...once.values(), ...folders.keys()].map((path) => (path === '' ? root : `${root}/${path}`));
  return outputStamps(paths, once.keys(), folders.values());
}

function savedOf({ paths, numbers }: Stamps): SavedStamps {
  return { paths: paths.join('\0'), numbers: Buffer.from(numbers.buffer).toString('base64') };
}

/** Reads the last build with these options. Returns null if there is none that this version of the program remembered. */
function readLast(place: Place): LastBuild<Stamps> | null {
  const saved = readChecked<LastBuild<SavedStamps>>(lastFile(place));
  if (saved?.options !== optionsOf(place)) return null;
  return { ...saved, inputs: restored(saved.inputs), outputs: restored(saved.outputs) };
}

function restored({ paths, numbers }: SavedStamps): Stamps {
  const bytes = new Uint8Array(Buffer.from(numbers, 'base64'));
  return { paths: paths.split('\0'), numbers: new Float64Array(bytes.buffer) };
}

/** Whether a killed build left something next to the folder, such as new files that a server already reads. */
function hasLeftovers(root: string): boolean {
  return readdirSync(dirname(root)).some((name) => name.startsWith(`.${basename(root)}.`));
}

function isWithin(now: number, { begin, end }: LastBuild<Stamps>): boolean {
  return begin <= now && now < end;
}

function optionsOf({ cwd, options }: Place): string {
  return JSON.stringify([programVersion, cwd, options, process.versions]);
}

function lastFile({ cache, out }: Place): string {
  return memoryFile(cache, out, 'unchanged');
}

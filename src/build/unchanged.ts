import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { zone } from '../calendar.ts';
import { gitStamp } from '../git/stamp.ts';
import { programFiles } from '../program.ts';
import type { BuildInfo } from '../schema/build-info.ts';
import { outputLine, outputStamps, sourceStamps } from '../stamps.ts';
import { memoryFile, readChecked, writeChecked } from './memory.ts';
import type { FileRecord } from './write.ts';

/**
 * Finds out whether a build would change nothing, without loading the code that renders. It compares the stamps (see
 * ../stamps.ts) of everything that builds read, and of everything that the last build wrote.
 */

/** Where a build reads and writes. */
export interface Place {
  /** The catalog folder. */
  cwd: string;
  out: string;
  /** The cache folder. */
  cache: string;
}

/** What is remembered of a build without warnings. */
export interface LastBuild {
  /** The result of inputsOf before the build. */
  inputs: string;
  /** The day for which it was built, in the catalog's time zone. */
  day: string;
  timezone: string;
  info: BuildInfo;
  historyMissing: string | null;
}

/**
 * Returns a hash of everything that decides the bytes of a build, except the day; null if a file has just been changed.
 * `options` are the command's options and environment variables.
 */
export function inputsOf({ cwd }: Place, options: readonly unknown[]): string | null {
  const folders = ['agents', 'templates', 'catalog.config.json'].map((name) => join(cwd, name));
  const stamps = sourceStamps([...folders, ...programFiles]);
  const git = gitStamp(cwd);
  return stamps === null || git === null ? null : hashOf([JSON.stringify([options, process.versions]), git, ...stamps]);
}

/**
 * Returns the last build into a folder if another build would be the same, and null otherwise. `today` is the day to build
 * for, by default the current one.
 */
export function unchangedBuild(place: Place, inputs: string, today: string | undefined): LastBuild | null {
  const last = readChecked<LastBuild & { files: string }>(lastFile(place));
  if (last?.inputs !== inputs || last.day !== (today ?? zone(last.timezone).today(new Date()))) return null;
  if (!existsSync(place.out)) return null;
  return last.files === hashOf(outputStamps(realpathSync(place.out)).sort()) ? last : null;
}

/** Remembers a build. `files` are the files that it wrote or left unchanged. */
export function rememberBuild(place: Place, last: LastBuild, files: ReadonlyMap<string, FileRecord>): void {
  const lines = Array.from(files, ([path, { stamp }]) => outputLine(path, stamp));
  writeChecked(lastFile(place), { ...last, files: hashOf(lines.sort()) });
}

function lastFile({ cache, out }: Place): string {
  return memoryFile(cache, out, 'last');
}

function hashOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('base64url');
}

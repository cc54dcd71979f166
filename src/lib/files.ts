import { hash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { orElse } from './errors.ts';

/**
 * Like mkdirSync with `recursive`, which in Node 20 never returns if no folder can be made in an existing one (/proc), and
 * takes a read-only file system for a missing folder.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Removes a folder below `target` if it is empty, and then the folders that are empty without it. */
export function removeEmptyFolders(target: string, folder: string): void {
  if (folder === '.') return;
  const path = join(target, folder);
  if (!existsSync(path) || readdirSync(path).length > 0) return;
  rmdirSync(path);
  removeEmptyFolders(target, dirname(folder));
}

/** Hashes bytes or a text: SHA-256, in base64url. */
export function digestOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url');
}

/** Returns the SHA-256 of bytes or a text in hexadecimal, as `sha256sum` prints it. */
export function sha256Of(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

/**
 * Stamps tell whether files changed, without reading them. The stamp of a file consists of its size, inode and times. As
 * long as the stamp is the same, the bytes are the same.
 */

/** The smallest difference in time that file systems record, with a reserve, in milliseconds. */
const tickMs = 20;

/** The stamp of a file that a build wrote. It stays the same if the file is moved or gets a second name (hard link). */
export function outputStampOf({ size, ino, mtimeMs }: Stats): string {
  // Of a template, V8 would keep the pieces, which take several times the memory: a large build has a hundred thousand stamps.
  return [size, ino, mtimeMs].join(' ');
}

/** Whether a file changed so recently that it could change again and keep its stamp. `now` is in milliseconds. */
function isFresh({ mtimeMs, ctimeMs }: Stats, now: number): boolean {
  return Math.max(mtimeMs, ctimeMs) > now - tickMs;
}

/** The stamp of a folder. It changes if a name in the folder is added or removed. */
export function folderStampOf({ ino, mtimeMs }: Stats): string {
  return `${ino} ${mtimeMs}`;
}

/**
 * The stamps of many files and folders. They are numbers, since a build that finds nothing changed spends most of its
 * time comparing stamps.
 */
export interface Stamps {
  paths: readonly string[];
  /**
   * Four numbers for each path: the size, inode, time of change and time of change of the inode, in milliseconds. A folder
   * has the size -1, and 0 instead of the last. If nothing is at the path, the size is -2. If the stamp may stay the same
   * when the file changes again, the size is NaN.
   */
  numbers: Float64Array;
}

const width = 4;

export const noStamps: Stamps = { paths: [], numbers: new Float64Array() };

/**
 * Returns the stamps of some files, and of everything in the folders among them. Folders that have the same stamp as in
 * `last`, which are earlier stamps of the same files, are not listed again. Links among `paths` are followed.
 */
export function sourceStamps(paths: readonly string[], last: Stamps = noStamps): Stamps {
  const now = Date.now();
  const statsAt = (path: string) => {
    const stats = statsOf(path);
    return stats?.isSymbolicLink() && paths.includes(path) ? orElse(() => statSync(path), undefined) : stats;
  };
  const again = stampsOf(last.paths, (stats) => sourceNumbers(stats, now), statsAt);
  if (hasSameNames(last, again) && paths.every((path) => last.paths.includes(path))) return again;
  const all = new Map<string, Numbers>();
  const add = (path: string) => {
    if (all.has(path)) return;
    const stats = statsAt(path);
    const names = stats?.isDirectory() ? orElse(() => readdirSync(path), null) : [];
    all.set(path, names === null ? unsettled : sourceNumbers(stats, now));
    for (const name of names ?? []) add(`${path}/${name}`);
  };
  for (const path of paths) add(path);
  return { paths: [...all.keys()], numbers: Float64Array.from([...all.values()].flat()) };
}

/**
 * Returns the stamps of what a build wrote. `paths` are the paths of its files, then of its folders, and the other
 * arguments are their stamps as texts, in the same order.
 */
export function outputStamps(paths: readonly string[], files: Iterable<string>, folders: Iterable<string>): Stamps {
  const numbers = new Float64Array(paths.length * width);
  let at = 0;
  const put = (stamp: string, from: number) => {
    for (const number of stamp.split(' ')) numbers[from++] = Number(number);
    at += width;
  };
  for (const stamp of files) put(stamp, at);
  for (const stamp of folders) {
    numbers[at] = -1;
    put(stamp, at + 1);
  }
  return { paths, numbers };
}

/** Returns the stamps that files and folders of a build have now. */
export function currentOutputStamps(paths: readonly string[]): Stamps {
  return stampsOf(paths, outputNumbers);
}

/** Whether every stamp changes if its file does. */
export function areSettled({ numbers }: Stamps): boolean {
  return !numbers.some(Number.isNaN);
}

/** Calls `each` with every path and its stamp as a text, or null if the stamp can hide a change. */
export function forEachStamp({ paths, numbers }: Stamps, each: (path: string, stamp: string | null) => void): void {
  let at = 0;
  for (const path of paths) {
    const [size, inode, changed, inodeChanged] = [numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]];
    each(path, Number.isNaN(size) ? null : `${size} ${inode} ${changed} ${inodeChanged}`);
    at += width;
  }
}

type Numbers = readonly [size: number, inode: number, changed: number, inodeChanged: number];

const missing: Numbers = [-2, 0, 0, 0];
const unsettled: Numbers = [Number.NaN, 0, 0, 0];

/** The stats of a path; undefined if there is nothing, or no way to it, as when one of its folders became a file. */
export const statsOf = (path: string) => orElse(() => lstatSync(path, { throwIfNoEntry: false }), undefined);

function stampsOf(paths: readonly string[], numbersOf: (stats?: Stats) => Numbers, statsAt = statsOf): Stamps {
  const numbers = new Float64Array(paths.length * width);
  let at = 0;
  for (const path of paths) {
    numbers.set(numbersOf(statsAt(path)), at);
    at += width;
  }
  return { paths, numbers };
}

function sourceNumbers(stats: Stats | undefined, now: number): Numbers {
  if (stats === undefined) return missing;
  if (isFresh(stats, now)) return unsettled;
  return stats.isDirectory() ? folderNumbers(stats) : [stats.size, stats.ino, stats.mtimeMs, stats.ctimeMs];
}

function outputNumbers(stats?: Stats): Numbers {
  if (stats === undefined) return missing;
  return stats.isDirectory() ? folderNumbers(stats) : [stats.size, stats.ino, stats.mtimeMs, 0];
}

function folderNumbers({ ino, mtimeMs }: Stats): Numbers {
  return [-1, ino, mtimeMs, 0];
}

/** Whether nothing was added, removed or renamed: all folders have the same stamps, and files are still files. */
function hasSameNames({ numbers: before }: Stamps, { numbers: after }: Stamps): boolean {
  for (let at = 0; at < after.length; at += width) {
    const [size, other] = [before[at] as number, after[at] as number];
    const isFile = size >= 0 && other >= 0;
    if (!isFile && (size !== other || before[at + 1] !== after[at + 1] || before[at + 2] !== after[at + 2]))
      return false;
  }
  return before.length > 0;
}

/** Replaces the content of a file atomically and keeps its mode, or creates the file. Throws the system error for its path. */
export function replaceFile(path: string, bytes: Buffer | string): void {
  replaceFiles([[path, bytes]]);
}

/** Does the same with several files, in this order, once all of them are written. */
export function replaceFiles(files: Iterable<readonly [path: string, bytes: Buffer | string]>): void {
  const drafts: [draft: string, path: string][] = [];
  try {
    for (const [path, bytes] of files) {
      // The draft is hidden, so that it never counts as a file of the agent.
      const draft = join(dirname(path), `.${basename(path)}.draft-${process.pid}`);
      drafts.push([draft, path]);
      const mode = statSync(path, { throwIfNoEntry: false })?.mode;
      writeFileSync(draft, bytes, { mode });
      // The umask may have taken permissions away that others need, as in a folder that a group shares.
      if (mode !== undefined) orElse(() => chmodSync(draft, mode), undefined);
    }
    for (const [draft, path] of drafts) renameSync(draft, path);
  } catch (error) {
    // The system names the draft, or no file at all if the disk is full.
    const { dest = drafts.at(-1)?.[1] } = error as { dest?: string };
    throw Object.assign(error as Error, { path: dest, dest: undefined });
  } finally {
    for (const [draft] of drafts) rmSync(draft, { force: true });
  }
}

/** Removes the files of a cache that were neither written nor marked as used for 60 days. Throws the system error. */
export function removeUnused(folder: string): void {
  const oldest = Date.now() - 60 * 86_400_000;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).mtimeMs < oldest) rmSync(path);
  }
}

/** Whether this is the name of a draft that `replaceFile` writes. */
export function isDraftName(name: string): boolean {
  return /^\..+\.draft-\d+$/.test(name);
}

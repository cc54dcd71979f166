import { lstatSync, readdirSync, type Stats } from 'node:fs';

/**
 * Stamps tell whether files changed, without reading them. The stamp of a file consists of its size, inode and times. As
 * long as the stamp is the same, the bytes are the same.
 */

/** The smallest difference in time that file systems record, with a reserve, in milliseconds. */
const tickMs = 20;

/** The stamp of a source file. */
export function stampOf(stats: Stats): string {
  return `${outputStampOf(stats)} ${stats.ctimeMs}`;
}

/** The stamp of a file that a build wrote. It stays the same if the file is moved or gets a second name (hard link). */
export function outputStampOf({ size, ino, mtimeMs }: Stats): string {
  return `${size} ${ino} ${mtimeMs}`;
}

/** Whether a file changed so recently that it could change again and keep its stamp. `now` is in milliseconds. */
export function isFresh({ mtimeMs, ctimeMs }: Stats, now: number): boolean {
  return Math.max(mtimeMs, ctimeMs) > now - tickMs;
}

/** The stamp of a folder. It changes if a name in the folder is added or removed. */
function folderStampOf({ ino, mtimeMs }: Stats): string {
  return `${ino} ${mtimeMs}`;
}

/** Paths with their stamps. */
export type Stamps = [path: string, stamp: string][];

/** Returns the stamps of some files, and of everything in the folders among them; null if one of them is fresh. */
export function sourceStamps(paths: readonly string[]): Stamps | null {
  const now = Date.now();
  const stamps: Stamps = [];
  let fresh = false;
  const add = (path: string) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    fresh ||= stats !== undefined && isFresh(stats, now);
    stamps.push([path, sourceStampOf(stats)]);
    if (stats?.isDirectory()) for (const name of readdirSync(path)) add(`${path}/${name}`);
  };
  for (const path of paths) add(path);
  return fresh ? null : stamps;
}

/** Returns the stamps of the folders of a build, whose files have the given paths. */
export function folderStamps(root: string, paths: Iterable<string>): Stamps {
  const folders = new Set([root]);
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end !== -1; end = path.lastIndexOf('/', end - 1)) {
      folders.add(`${root}/${path.slice(0, end)}`);
    }
  }
  return Array.from(folders, (path) => [path, folderStampOf(lstatSync(path))]);
}

/** Whether every source file and folder still has its stamp. A path that did not exist has to be still missing. */
export function areSourcesUnchanged(stamps: Stamps): boolean {
  return stamps.every(([path, stamp]) => sourceStampOf(lstatSync(path, { throwIfNoEntry: false })) === stamp);
}

/** The same for the files and folders of a build. */
export function areOutputsUnchanged(stamps: Stamps): boolean {
  return stamps.every(([path, stamp]) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return false;
    return (stats.isDirectory() ? folderStampOf(stats) : outputStampOf(stats)) === stamp;
  });
}

function sourceStampOf(stats: Stats | undefined): string {
  if (stats === undefined) return '';
  return stats.isDirectory() ? folderStampOf(stats) : stampOf(stats);
}

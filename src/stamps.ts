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
export function folderStampOf({ ino, mtimeMs }: Stats): string {
  return `${ino} ${mtimeMs}`;
}

/** Paths with their stamps. A stamp is null if it may stay the same when the file changes again. */
export type Stamps = [path: string, stamp: string | null][];

/**
 * Returns the stamps of some files, and of everything in the folders among them. Folders that have the same stamp as in
 * `last`, which are earlier stamps of the same files, are not listed again.
 */
export function sourceStamps(paths: readonly string[], last: Stamps = []): Stamps {
  const now = Date.now();
  const same = new Map(last.filter(([path, stamp]) => stamp !== null && stamp === sourceStamp(path, now)));
  if (last.length > 0 && same.size === last.length && paths.every((path) => same.has(path))) return last;
  const contents = new Map<string, string[]>();
  for (const [path] of last) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    const inside = contents.get(folder);
    if (inside === undefined) contents.set(folder, [path]);
    else inside.push(path);
  }
  const stamps = new Map<string, string | null>();
  const add = (path: string) => {
    if (stamps.has(path)) return;
    const known = same.get(path);
    if (known !== undefined) {
      stamps.set(path, known);
      for (const inside of contents.get(path) ?? []) add(inside);
    } else {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      const names = stats?.isDirectory() ? namesIn(path) : [];
      stamps.set(path, names === null ? null : sourceStampOf(stats, now));
      for (const name of names ?? []) add(`${path}/${name}`);
    }
  };
  for (const path of paths) add(path);
  return [...stamps];
}

/** Whether no stamp is null. */
export function areSettled(stamps: Stamps): boolean {
  return stamps.every(([, stamp]) => stamp !== null);
}

/** The names in a folder, or null if it cannot be read. */
function namesIn(folder: string): string[] | null {
  try {
    return readdirSync(folder);
  } catch {
    return null;
  }
}

/** Whether every file and folder of a build still has its stamp. */
export function areOutputsUnchanged(stamps: Stamps): boolean {
  return stamps.every(([path, stamp]) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return false;
    return (stats.isDirectory() ? folderStampOf(stats) : outputStampOf(stats)) === stamp;
  });
}

function sourceStamp(path: string, now: number): string | null {
  return sourceStampOf(lstatSync(path, { throwIfNoEntry: false }), now);
}

/** The stamp of a source file or folder, which may be missing; null if it is fresh. */
function sourceStampOf(stats: Stats | undefined, now: number): string | null {
  if (stats === undefined) return '';
  if (isFresh(stats, now)) return null;
  return stats.isDirectory() ? folderStampOf(stats) : stampOf(stats);
}

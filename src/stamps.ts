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

/** Returns the stamps of some source files, and of all files in the folders among them; null if one of them is fresh. */
export function sourceStamps(paths: readonly string[]): string[] | null {
  const now = Date.now();
  const stamps: string[] = [];
  let fresh = false;
  for (const root of paths) {
    eachFile(root, (path, stats) => {
      fresh ||= isFresh(stats, now);
      stamps.push(`${path} ${stampOf(stats)}`);
    });
  }
  return fresh ? null : stamps;
}

/** Returns the stamps of all files of a build, each with its path in the build's folder. */
export function outputStamps(folder: string): string[] {
  const stamps: string[] = [];
  eachFile(folder, (path, stats) => stamps.push(outputLine(path.slice(folder.length + 1), outputStampOf(stats))));
  return stamps;
}

/** Formats an element of outputStamps. */
export function outputLine(path: string, stamp: string): string {
  return `${path} ${stamp}`;
}

/** Calls `add` with a file, or with every file in a folder. Nothing happens if the path does not exist. */
function eachFile(path: string, add: (path: string, stats: Stats) => void): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) add(path, stats);
  else eachBelow(path, add);
}

function eachBelow(folder: string, add: (path: string, stats: Stats) => void): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) eachBelow(path, add);
    else {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats !== undefined) add(path, stats);
    }
  }
}

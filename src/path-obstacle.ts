import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Says what in a path keeps it from being a folder, or from being made: a file, or a symbolic link that leads nowhere. Null
 * if nothing does, or if it cannot be known.
 */
export function obstacleIn(path: string): string | null {
  const whole = resolve(path);
  const above = dirname(whole) === whole ? null : obstacleIn(dirname(whole));
  if (above !== null) return above;
  try {
    const stats = lstatSync(whole);
    return stats.isSymbolicLink() ? linkObstacle(whole) : wrongKind(whole, stats);
  } catch {
    return null;
  }
}

function linkObstacle(link: string): string | null {
  const start = `${link} is a symbolic link`;
  const target = readlinkSync(link);
  try {
    return wrongKind(`${start} to ${target}, which`, statSync(link));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return `${start} to ${target}, which does not exist`;
    return code === 'ELOOP' ? `${start} that leads back to itself` : null;
  }
}

function wrongKind(subject: string, stats: Stats): string | null {
  if (stats.isDirectory()) return null;
  return `${subject} is ${stats.isFile() ? 'a file' : 'not a folder'}`;
}

import * as fs from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { hasCode, realPath } from './disk.ts';

/**
 * Lists the rotated files of a log, by name: votes.jsonl.1, votes.jsonl-20261201, votes-20261201.jsonl and the like,
 * also compressed. They are next to the real file if the path is a link. Empty if the folder does not exist.
 */
export async function rotatedFiles(path: string): Promise<string[]> {
  const file = await realPath(fs, path).catch((error) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (file === null) return [];
  const folder = dirname(file);
  const name = basename(file);
  const stem = basename(file, extname(file));
  const isRotated = (other: string) => {
    if (/\.(?:torn|erasing|redacting|lock|secret)(?:\.|$)/.test(other)) return false;
    if (other.startsWith(name)) return /^[.-]\d[\w.-]*$/.test(other.slice(name.length));
    return other.startsWith(stem) && /^[.-]\d[\d_T-]*$/.test(withoutEndings(other, extname(file)).slice(stem.length));
  };
  return (await fs.readdir(folder))
    .filter((other) => other !== name && isRotated(other))
    .sort()
    .map((other) => join(folder, other));
}

function withoutEndings(name: string, extension: string): string {
  const plain = name.replace(packed, '');
  return extension !== '' && plain.endsWith(extension) ? plain.slice(0, -extension.length) : '';
}

const packed = /\.(?:gz|bz2|xz|zst|zip)$/;

/** Whether the name of a file is that of a compressed one. */
export function isPacked(file: string): boolean {
  return packed.test(file);
}

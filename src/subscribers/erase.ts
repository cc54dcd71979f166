import * as fs from 'node:fs/promises';
import { type Disk, hasCode, realPath } from '../journal/disk.ts';
import { readLines } from '../journal/lines.ts';
import { type LockOptions, withLock } from '../journal/lock.ts';
import { rewriteLines } from '../journal/rewrite.ts';
import { tornPath } from '../journal/torn-tail.ts';
import { parseSignup } from './lines.ts';

export interface EraseOptions extends Omit<LockOptions, 'file' | 'disk'> {
  /** @default node:fs/promises */
  disk?: Disk;
}

/**
 * Removes every line of one address, whatever its case, from the file of sign-ups, and what holds it in the file of
 * torn lines beside it. Returns how many lines. The other lines are kept byte for byte.
 *
 * It takes the file's lock: a server that has the file open would go on writing to the one that was replaced. Rejects
 * with an OperationError that names the owner where there is one.
 *
 * Each file is replaced in one step: killed at any moment, it is the old or the new one. Files that were rotated under
 * other names are not touched: call it for each.
 */
export async function eraseSignups(path: string, address: string, options: EraseOptions): Promise<number> {
  const { disk = fs } = options;
  const wanted = address.trim().toLowerCase();
  if (wanted === '') return 0;
  const file = await realPath(disk, path).catch((error) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  // Without its folder there is no file, nor a place for its lock.
  if (file === null) return 0;
  return withLock(
    { ...options, file, disk },
    async () => (await erase(file, wanted, disk)) + (await erase(tornPath(file), wanted, disk)),
  );
}

async function erase(file: string, wanted: string, disk: Disk): Promise<number> {
  let count = 0;
  for await (const line of readLines(file)) if (isOf(line, wanted)) count += 1;
  if (count > 0) {
    const change = (line: Buffer) => (isOf(line, wanted) ? null : line);
    await rewriteLines({ file, draft: `${file}.erasing`, disk, mode: 0o600, change });
  }
  return count;
}

/** A line that cannot be read is of the address where it holds it: better one torn line too few than a trace left. */
function isOf(line: Buffer, wanted: string): boolean {
  const signup = parseSignup(line);
  return signup === undefined
    ? line.toString('utf8').toLowerCase().includes(wanted)
    : signup.email.toLowerCase() === wanted;
}

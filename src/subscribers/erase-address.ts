import * as fs from 'node:fs/promises';
import { OperationError, systemReason } from '../errors.ts';
import type { LockOptions } from '../journal/lock.ts';
import { isPacked, rotatedFiles } from '../journal/rotated.ts';
import { eraseSignups } from './erase.ts';

/** What erasing did. */
export interface Erased {
  /** How many lines were removed, in all files. */
  lines: number;
  /** Compressed files that were not looked into. */
  packed: string[];
}

/**
 * Removes every line of an address from the file of sign-ups, from the torn lines beside it, and from the files that
 * rotation made of it.
 *
 * It takes the file's lock, so that it is refused while a server has the file. Rejects with an OperationError where
 * that is so, or a file cannot be used.
 */
export async function eraseAddress(
  path: string,
  address: string,
  { now, random, warn }: Pick<LockOptions, 'now' | 'random' | 'warn'>,
): Promise<Erased> {
  const file = await fs.realpath(path).catch(explain(path));
  const rotated = await rotatedFiles(file);
  const plain = [file, ...rotated.filter((name) => !isPacked(name))];
  let lines = 0;
  for (const each of plain) lines += await eraseSignups(each, address, { now, random, warn }).catch(explain(each));
  return { lines, packed: rotated.filter(isPacked) };
}

/** Turns what the system refuses into words. */
function explain(file: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error instanceof OperationError || error.code === undefined) throw error;
    if (error.code === 'ENOENT') throw new OperationError(`There is no file of sign-ups ${file}.`, { cause: error });
    throw new OperationError(`The file of sign-ups ${file} cannot be used: ${systemReason(error.code)}.`, {
      cause: error,
    });
  };
}

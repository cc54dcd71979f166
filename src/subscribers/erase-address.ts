import * as fs from 'node:fs/promises';
import { OperationError, systemReason } from '../errors.ts';
import type { LockOptions } from '../journal/lock.ts';
import { isPacked, rotatedFiles } from '../journal/rotated.ts';
import { eraseSubscriber } from './erase.ts';
import { fileRecords } from './file-records.ts';
import { addressHash } from './mail-key.ts';

/** The result of erasing an address. */
export interface Erased {
  /** How many lines were removed from all files. */
  lines: number;
  /** Compressed files, which were not searched. */
  packed: string[];
}

/**
 * Removes all lines with an address from the file of subscribers, its torn lines and its rotated files. With the key of
 * mails, it also suppresses the address, so that no mail is sent to it even if a backup is restored.
 *
 * Rejects with OperationError while a server holds the lock of the file, or if a file cannot be used.
 */
export async function eraseAddress(
  path: string,
  address: string,
  { now, random, warn, key }: Pick<LockOptions, 'now' | 'random' | 'warn'> & { key: Buffer | null },
): Promise<Erased> {
  const file = await fs.realpath(path).catch(explain(path));
  const rotated = await rotatedFiles(file);
  const plain = [file, ...rotated.filter((name) => !isPacked(name))];
  let lines = 0;
  for (const each of plain) lines += await eraseSubscriber(each, address, { now, random, warn }).catch(explain(each));
  if (lines > 0 && key !== null) {
    const hash = addressHash(address.trim(), key);
    await fileRecords(path).suppress(hash, now().toISOString()).catch(explain(path));
  }
  return { lines, packed: rotated.filter(isPacked) };
}

/** Throws a system error again as a sentence. */
function explain(file: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error instanceof OperationError || error.code === undefined) throw error;
    if (error.code === 'ENOENT')
      throw new OperationError(`The subscriber file ${file} does not exist.`, { cause: error });
    throw new OperationError(`The subscriber file ${file} cannot be used: ${systemReason(error.code)}.`, {
      cause: error,
    });
  };
}

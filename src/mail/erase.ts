import * as fs from 'node:fs/promises';
import { OperationError, systemReason } from '../lib/errors.ts';
import { type Disk, hasCode, realPath } from '../storage/disk.ts';
import { isPacked, rotatedFiles } from '../storage/journal.ts';
import { readLines, rewriteLines, tornPath } from '../storage/line-file.ts';
import { type LockOptions, withLock } from '../storage/lock.ts';
import { addressHash } from './consent.ts';
import { fileRecords, parseLine } from './subscribers-file.ts';

export interface EraseOptions extends Omit<LockOptions, 'file' | 'disk'> {
  /** @default node:fs/promises */
  disk?: Disk;
}

/**
 * Removes all lines with an address, in any case, from a file of subscribers and its file of torn lines, and the lines that
 * say their outcome. Returns how many lines were removed. All other lines stay byte for byte.
 *
 * Takes the lock of the file, since a server would go on writing to the replaced file. Rejects with an OperationError
 * that names the owner of the lock. Each file is replaced in one step. Rotated files need a call each.
 */
export async function eraseSubscriber(path: string, address: string, options: EraseOptions): Promise<number> {
  const { disk = fs } = options;
  const wanted = address.trim().toLowerCase();
  if (wanted === '') return 0;
  const file = await realPath(disk, path).catch((error) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  // Without the folder there is no file, and the lock could not be created.
  if (file === null) return 0;
  return withLock(
    { ...options, file, disk },
    async () => (await erase(file, wanted, disk)) + (await erase(tornPath(file), wanted, disk)),
  );
}

async function erase(file: string, wanted: string, disk: Disk): Promise<number> {
  let count = 0;
  const ids = new Set<string>();
  for await (const line of readLines(file)) if (isOf(line, wanted, ids)) count += 1;
  if (count > 0) {
    const change = (line: Buffer) => (isOf(line, wanted, ids) ? null : line);
    await rewriteLines({ file, draft: `${file}.erasing`, disk, mode: 0o600, change });
  }
  return count;
}

/**
 * Whether a line has the address or belongs to a subscription that has it; `ids` collects those. An unreadable line is
 * removed if it contains the address anywhere.
 */
function isOf(line: Buffer, wanted: string, ids: Set<string>): boolean {
  const parsed = parseLine(line);
  if (parsed === undefined) return line.toString('utf8').toLowerCase().includes(wanted);
  if ('event' in parsed) return ids.has(parsed.id);
  if (parsed.email.toLowerCase() !== wanted) return false;
  ids.add(parsed.id);
  return true;
}

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

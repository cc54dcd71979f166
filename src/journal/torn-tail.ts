import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { closeToOthers, type Disk, syncFolder, writeAll } from './disk.ts';
import { newline } from './lines.ts';

export interface TailOptions {
  path: string;
  disk: Disk;
  warn(message: string): void;
  /** See JournalOptions. */
  ownerOnly?: boolean | undefined;
}

/**
 * The file next to a log that keeps what a crash left of its last line. One file for all crashes, so that it can be
 * searched.
 */
export function tornPath(path: string): string {
  return `${path}.torn`;
}

/**
 * Makes a log of JSON lines end with a whole line, even after a crash, and returns its new length.
 *
 * If the last line is not a whole JSON object, it is moved to the file that tornPath names, durably and with a warning.
 * If it only lacks its newline, the newline is added. Earlier lines are not checked. `handle` must be open for reading
 * and appending; changes to it are not synced.
 */
export async function repairTail(handle: FileHandle, options: TailOptions): Promise<number> {
  const { path, warn } = options;
  const { size } = await handle.stat();
  const start = await startOfLastLine(handle, size);
  const last = await readExactly(handle, start, size);
  const text = last.toString('utf8');
  if (text === '' || text === '\n') return size;
  if (isObject(text)) {
    if (last.at(-1) === newline) return size;
    await writeAll(handle, Buffer.from('\n'));
    return size + 1;
  }
  await setAside(last, options);
  await handle.truncate(start);
  warn(`The last line of ${path} was incomplete. Its ${last.length} bytes were moved to ${tornPath(path)}.`);
  return start;
}

const chunkBytes = 65_536;

/** Where the last line starts, whether or not it ends with a newline. */
async function startOfLastLine(handle: FileHandle, size: number): Promise<number> {
  // The newline at the very end belongs to the last line.
  for (let end = size - 1; end > 0; ) {
    const from = Math.max(0, end - chunkBytes);
    const found = (await readExactly(handle, from, end)).lastIndexOf(newline);
    if (found >= 0) return from + found + 1;
    end = from;
  }
  return 0;
}

async function readExactly(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(to - from);
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, from + done);
    if (bytesRead === 0) throw new Error('The log became shorter while it was read.');
    done += bytesRead;
  }
  return bytes;
}

/** Only an object is certain to be whole: the beginning of a number is a number too. */
function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/**
 * Saves the bytes as a line next to the log, durably, before they are cut off. If that fails, nothing is left there.
 */
async function setAside(bytes: Buffer, { path, disk, ownerOnly = false }: TailOptions): Promise<void> {
  const aside = tornPath(path);
  const handle = await disk.open(aside, 'a', 0o600);
  try {
    if (ownerOnly) await closeToOthers(handle);
    const { size } = await handle.stat();
    try {
      await writeAll(handle, bytes.at(-1) === newline ? bytes : Buffer.concat([bytes, Buffer.from('\n')]));
      await handle.datasync();
    } catch (error) {
      await (size === 0 ? disk.unlink(aside) : handle.truncate(size)).catch(() => {});
      throw error;
    }
  } finally {
    await handle.close();
  }
  await syncFolder(disk, dirname(path));
}

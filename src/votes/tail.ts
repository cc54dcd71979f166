import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFile, type Disk, hasCode, syncFolder, writeAll } from './disk.ts';

export interface TailOptions {
  path: string;
  disk: Disk;
  now(): Date;
  warn(message: string): void;
}

/**
 * Makes a log of JSON lines end with a whole line, as a crash may not have left it. Gives the length then.
 *
 * A last line that is no whole JSON object is set aside into `<log>.torn-<time>`, with a warning; one that is whole
 * but lacks its newline gets it. Lines before the last are not looked at. `handle` is open for reading and appending.
 */
export async function mendTail(handle: FileHandle, { path, disk, now, warn }: TailOptions): Promise<number> {
  const { size } = await handle.stat();
  const start = await startOfLastLine(handle, size);
  const last = Buffer.alloc(size - start);
  for (let done = 0; done < last.length; ) {
    const { bytesRead } = await handle.read(last, done, last.length - done, start + done);
    if (bytesRead === 0) throw new Error(`${path} became shorter while it was read.`);
    done += bytesRead;
  }
  if (last.length === 0 || last.toString('utf8') === '\n') return size;
  if (isObject(last.toString('utf8'))) {
    if (last.at(-1) === newline) return size;
    await writeAll(handle, Buffer.from('\n'));
    return size + 1;
  }
  const aside = await setAside(last, { path, disk, now });
  await handle.truncate(start);
  warn(`The last line of ${path} is torn: ${last.length} bytes that are no whole vote were moved to ${aside}.`);
  return start;
}

const newline = 0x0a;
const chunkBytes = 65_536;

/** Where the last line starts, whether or not it has a newline of its own. */
async function startOfLastLine(handle: FileHandle, size: number): Promise<number> {
  const chunk = Buffer.alloc(Math.min(chunkBytes, size));
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - chunkBytes);
    const { bytesRead } = await handle.read(chunk, 0, end - from, from);
    // The newline at the very end belongs to the last line.
    const ownEnd = end === size ? bytesRead - 2 : bytesRead - 1;
    const found = ownEnd < 0 ? -1 : chunk.lastIndexOf(newline, ownEnd);
    if (found >= 0) return from + found + 1;
    end = from;
  }
  return 0;
}

/** Only an object is known to be whole: of a number, any beginning is a number too. */
function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Keeps the bytes in a new file beside the log, durably, before the log loses them. Gives its path. */
async function setAside(bytes: Buffer, { path, disk, now }: Omit<TailOptions, 'warn'>): Promise<string> {
  // No colons: Windows has none in names.
  const name = `${path}.torn-${now().toISOString().replace(/[-:.]/g, '')}`;
  for (let attempt = 0; ; attempt += 1) {
    const aside = attempt === 0 ? name : `${name}-${attempt}`;
    try {
      await createFile(disk, aside, bytes);
    } catch (error) {
      if (hasCode(error, 'EEXIST')) continue;
      throw error;
    }
    await syncFolder(disk, dirname(path));
    return aside;
  }
}

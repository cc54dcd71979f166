import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type LogFiles, syncFolder, writeAll } from './log-files.ts';

const newline = 0x0a;
const chunkBytes = 64 * 1024;

/** The file beside a log that takes what a crash left of a line. */
export function tornPath(path: string): string {
  return `${path}.torn`;
}

export interface TornTail {
  /** The log's length in bytes, ending with a whole line. */
  length: number;
  /** How many bytes were set aside. */
  setAside: number;
}

/**
 * Brings a log to the end of its last whole line. What follows that line is JSON without its newline, which then gets
 * one, or torn: a line that was never acknowledged, moved to the file of tornPath. All of it is synced.
 */
export async function settleTail(path: string, handle: FileHandle, files: LogFiles): Promise<TornTail> {
  const { size } = await handle.stat();
  const start = await lastLineEnd(handle, size);
  let length = size;
  let setAside = 0;
  if (start < size) {
    const tail = await readExactly(handle, start, size);
    if (isWhole(tail)) {
      await writeAll(handle, Buffer.from('\n'));
      length = size + 1;
    } else {
      await append(tornPath(path), Buffer.concat([tail, Buffer.from('\n')]), files);
      await handle.truncate(start);
      length = start;
      setAside = tail.length;
    }
  }
  await handle.datasync();
  return { length, setAside };
}

/** The offset after the last newline before `end`, or 0. */
async function lastLineEnd(handle: FileHandle, end: number): Promise<number> {
  for (let to = end; to > 0; ) {
    const from = Math.max(0, to - chunkBytes);
    const at = (await readExactly(handle, from, to)).lastIndexOf(newline);
    if (at !== -1) return from + at + 1;
    to = from;
  }
  return 0;
}

async function readExactly(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(to - from);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, from + filled);
    if (bytesRead === 0) throw new Error('The log became shorter while it was read.');
    filled += bytesRead;
  }
  return bytes;
}

/** No beginning of an object's JSON is JSON itself, so what parses is whole: an editor may drop the last newline. */
function isWhole(tail: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(tail.toString('utf8'));
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

async function append(path: string, bytes: Buffer, files: LogFiles): Promise<void> {
  const handle = await files.open(path, 'a', 0o600);
  try {
    await handle.chmod(0o600);
    await writeAll(handle, bytes);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(path), files);
}

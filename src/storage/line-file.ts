import { constants, createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createGunzip } from 'node:zlib';
import { OperationError } from '../lib/errors.ts';
import { closeToOthers, type Disk, hasCode, syncFolder, writeAll } from './disk.ts';

/** The byte that ends a line. */
export const newline = 0x0a;

/**
 * Reads a file line by line, as bytes. Each line includes its newline, which the last may lack. A missing file has no
 * lines. A file whose name ends in .gz is decompressed. `start` is the byte to begin at.
 */
export async function* readLines(file: string, start = 0): AsyncGenerator<Buffer> {
  // Not node:readline, which also splits at U+2028: JSON does not escape that character.
  let rest: Buffer[] = [];
  try {
    for await (const chunk of bytesOf(file, start)) {
      let from = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
        const line = chunk.subarray(from, end + 1);
        yield rest.length > 0 ? Buffer.concat([...rest, line]) : line;
        rest = [];
        from = end + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

function bytesOf(file: string, start: number): AsyncIterable<Buffer> {
  const stream = createReadStream(file, { start });
  if (!file.endsWith('.gz')) return stream;
  const unpacked = createGunzip();
  stream.on('error', (error) => unpacked.destroy(error));
  return stream.pipe(unpacked);
}

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
async function repairTail(handle: FileHandle, options: TailOptions): Promise<number> {
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
    const newlineAt = (await readExactly(handle, from, end)).lastIndexOf(newline);
    if (newlineAt >= 0) return from + newlineAt + 1;
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

/** An open file of lines. */
export interface OpenFile {
  handle: FileHandle;
  dev: bigint;
  ino: bigint;
  /** How far the file is known to be durable, in bytes. Bytes past this point were never acknowledged. */
  length: number;
}

const flags = constants.O_CREAT | constants.O_RDWR | constants.O_APPEND;

/** Opens a file for reading and appending. Creates it with mode 0600 if it does not exist. */
export async function openFile({ path, disk, warn, ownerOnly = false }: TailOptions): Promise<OpenFile> {
  const handle = await disk.open(path, flags, 0o600);
  try {
    const { dev, ino, size } = await handle.stat({ bigint: true });
    if (ownerOnly && (await closeToOthers(handle))) {
      warn(`${path} was open to other users of this machine; now only its owner can read it.`);
    }
    return { handle, dev, ino, length: Number(size) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Repairs the end of an open file, and makes the file durable, so that lines can be appended. Closes it if that fails.
 */
export async function prepareFile(opened: OpenFile, options: TailOptions): Promise<OpenFile> {
  try {
    const length = await repairTail(opened.handle, options);
    await opened.handle.datasync();
    await syncFolder(options.disk, dirname(options.path));
    return { ...opened, length };
  } catch (error) {
    await opened.handle.close();
    throw error;
  }
}

/** What happened to an open file: its path still names it, unchanged or changed, or it was renamed or removed. */
export async function statusOf(
  file: OpenFile,
  { path, disk }: TailOptions,
): Promise<'unchanged' | 'changed' | 'renamed' | 'removed'> {
  try {
    const { dev, ino, size } = await disk.stat(path, { bigint: true });
    if (isSame(file, { dev, ino })) return Number(size) === file.length ? 'unchanged' : 'changed';
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
  return (await file.handle.stat({ bigint: true })).nlink > 0n ? 'renamed' : 'removed';
}

/** Whether two descriptors are of one file. */
export function isSame(one: Pick<OpenFile, 'dev' | 'ino'>, other: Pick<OpenFile, 'dev' | 'ino'>): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

interface RewriteOptions {
  /** The file, which this process owns (see withLock). */
  file: string;
  /** A path next to the file that is free to use. A draft that a crash left there is removed. */
  draft: string;
  disk: Disk;
  /** The permissions of the new file. @default those of the old one */
  mode?: number;
  /** Returns the replacement of a line, with its newline, or null to remove the line. */
  change(line: Buffer): Buffer | null;
}

/**
 * Replaces a file with a changed copy that has the same owner. After a crash, either the old or the new one is there.
 *
 * If it fails, the old file stays and the draft is removed. Rejects with an OperationError if a program that ignores
 * the lock changed the file in the meantime.
 */
export async function rewriteLines({ file, draft, disk, mode, change }: RewriteOptions): Promise<void> {
  const before = await disk.stat(file);
  await disk.unlink(draft).catch((error) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  try {
    const handle = await disk.open(draft, 'wx', 0o600);
    try {
      // Even when root runs this, the file must belong to the user that the server runs as.
      const { uid, gid } = await handle.stat();
      if (uid !== before.uid || gid !== before.gid) await handle.chown(before.uid, before.gid);
      await handle.chmod(mode ?? before.mode & 0o777);
      let read = 0;
      const changed = (line: Buffer) => {
        read += line.length;
        return change(line);
      };
      for await (const block of blocks(readLines(file), changed)) await writeAll(handle, block);
      const after = await disk.stat(file);
      if (read !== before.size || after.size !== before.size || after.ino !== before.ino) {
        throw new OperationError(`Another program changed ${file} at the same time. Stop the server, then try again.`);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await disk.rename(draft, file);
  } catch (error) {
    await disk.unlink(draft).catch(() => {});
    throw error;
  }
  await syncFolder(disk, dirname(file));
}

const blockBytes = 1_048_576;

/** Collects lines into blocks, so that there are fewer writes. */
async function* blocks(lines: AsyncIterable<Buffer>, change: (line: Buffer) => Buffer | null): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const line of lines) {
    const changed = change(line);
    if (changed === null) continue;
    waiting.push(changed);
    bytes += changed.length;
    if (bytes < blockBytes) continue;
    yield Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
  }
  yield Buffer.concat(waiting);
}

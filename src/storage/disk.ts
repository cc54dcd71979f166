import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { OperationError, prevented } from '../lib/errors.ts';

/** The functions of node:fs/promises that a journal uses. Tests replace them with slow, failing or recording ones. */
export type Disk = Pick<
  typeof import('node:fs/promises'),
  'open' | 'stat' | 'link' | 'rename' | 'unlink' | 'readdir' | 'readFile' | 'mkdir' | 'realpath'
>;

/** Whether `error` is a system error with one of these codes, such as ENOENT. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Handles the rejection of work with a file, for `catch`: with a value if the file does not exist, else by rejecting too. */
export function ifMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (hasCode(error, 'ENOENT')) return value;
    throw error;
  };
}

/** The error for a file that cannot be used; `file` is what it is and its path. An OperationError already says why. */
export function cannotUse(file: string, cause: unknown): OperationError {
  return cause instanceof OperationError ? cause : prevented(`${file} cannot be used`, cause);
}

/** Resolves links in a file's path, even if the file does not exist: two links to one file must share one lock. */
export async function realPath(disk: Disk, file: string): Promise<string> {
  const path = resolve(file);
  return disk.realpath(path).catch(async (error) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    return join(await disk.realpath(dirname(path)), basename(path));
  });
}

/** Makes the names in a folder durable. Without it, a new or renamed file may be missing after a crash. */
export async function syncFolder(disk: Disk, folder: string): Promise<void> {
  // Windows cannot open folders, and makes names durable automatically.
  if (process.platform === 'win32') return;
  const handle = await disk.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a folder and its missing parents, durably. Only the owner can list new folders. */
export async function makeFolder(disk: Disk, folder: string): Promise<void> {
  const first = await disk.mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(disk, dirname(made));
}

/** Writes all of `bytes` at the end of a file that is open for appending, or at `position`. */
export async function writeAll(handle: FileHandle, bytes: Buffer, position: number | null = null): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    // The system may write only a part, as it does shortly before a disk is full.
    const at = position === null ? null : position + done;
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at);
    if (bytesWritten === 0) throw Object.assign(new Error('EIO: no bytes were written'), { code: 'EIO' });
    done += bytesWritten;
  }
}

/** For a failure: undoes what was begun, and lets the error go on. */
export function undo(work: () => Promise<unknown>): (error: unknown) => Promise<never> {
  return async (error) => {
    await work();
    throw error;
  };
}

/**
 * Creates a file that only its owner can read. Its content is durable, its name is not. Fails with EEXIST if it exists.
 */
export async function createFile(disk: Disk, path: string, bytes: Buffer): Promise<void> {
  const handle = await disk.open(path, 'wx', 0o600);
  try {
    await writeAll(handle, bytes);
    await handle.sync();
  } catch (error) {
    await disk.unlink(path).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
}

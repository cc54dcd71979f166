import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** What of node:fs/promises a journal uses. Tests put a slow, failing or recording one in its place. */
export type Disk = Pick<
  typeof import('node:fs/promises'),
  'open' | 'stat' | 'link' | 'rename' | 'unlink' | 'readdir' | 'readFile' | 'mkdir' | 'realpath'
>;

/** Whether `error` came from the system with one of these codes, such as ENOENT. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** What an error says, in a word or a sentence. The system's is its code: its message may be anything. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

/** A file's own path, whether or not it is there: two links to one file must meet at one lock. */
export async function realPath(disk: Disk, file: string): Promise<string> {
  const path = resolve(file);
  return disk.realpath(path).catch(async (error) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    return join(await disk.realpath(dirname(path)), basename(path));
  });
}

/** Makes the names in a folder durable: without it, a crash may forget that a file was made or renamed. */
export async function syncFolder(disk: Disk, folder: string): Promise<void> {
  // Windows opens no folders, and writes names through by itself.
  if (process.platform === 'win32') return;
  const handle = await disk.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder, and those above it, durably where they are missing. Others may not look into it. */
export async function makeFolder(disk: Disk, folder: string): Promise<void> {
  const first = await disk.mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(disk, dirname(made));
}

/** Writes all of `bytes` at the end of a file that is open for appending, or from `position` on. */
export async function writeAll(handle: FileHandle, bytes: Buffer, position: number | null = null): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    // The system may take a part only, as it does shortly before a disk is full.
    const at = position === null ? null : position + done;
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at);
    if (bytesWritten === 0) throw Object.assign(new Error('EIO: nothing was written'), { code: 'EIO' });
    done += bytesWritten;
  }
}

/** Takes the rights that others have in an open file. False where they have none; Windows knows no such rights. */
export async function closeToOthers(handle: FileHandle): Promise<boolean> {
  if (process.platform === 'win32' || ((await handle.stat()).mode & 0o077) === 0) return false;
  await handle.chmod(0o600);
  return true;
}

/** Makes a file that only its owner reads, durably but for its name. Fails with EEXIST where there is one. */
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

/** Puts `bytes` in the place of a file, whole and durably: a crash leaves the old or the new one. `draft` is free to use. */
export async function replaceFile(disk: Disk, path: string, draft: string, bytes: Buffer): Promise<void> {
  await createFile(disk, draft, bytes);
  try {
    await disk.rename(draft, path);
  } catch (error) {
    await disk.unlink(draft).catch(() => {});
    throw error;
  }
  await syncFolder(disk, dirname(path));
}

import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import * as fs from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** What logs need of the disk; node:fs/promises fits. */
export interface LogFiles {
  open(path: string, flags: string, mode?: number): Promise<FileHandle>;
  stat(path: string): Promise<Stats>;
  mkdir(path: string, options: { recursive: true; mode: number }): Promise<string | undefined>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: true }): Promise<void>;
}

export const realFiles: LogFiles = fs;

/** Writes all of `bytes` at the end of a file that is open for appending; a single write may take only a part. */
export async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done);
    if (bytesWritten === 0) throw Object.assign(new Error('nothing was written'), { code: 'EIO' });
    done += bytesWritten;
  }
}

/** Makes the names in a folder durable: a file that was just made or renamed is lost in a crash without it. */
export async function syncFolder(folder: string, files: LogFiles): Promise<void> {
  // Windows neither opens folders nor needs it.
  if (process.platform === 'win32') return;
  const handle = await files.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the folder of `path` where it is missing, 0700, durable with every folder above it that had to be made. */
export async function makeFolderOf(path: string, files: LogFiles): Promise<void> {
  const folder = dirname(resolve(path));
  const first = await files.mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let at = folder; at !== dirname(first); at = dirname(at)) await syncFolder(dirname(at), files);
}

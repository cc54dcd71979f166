import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { closeToOthers, hasCode, syncFolder } from './disk.ts';
import { repairTail, type TailOptions } from './torn-tail.ts';

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

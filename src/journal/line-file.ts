import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { closeToOthers, createFile, hasCode, reasonOf, syncFolder, writeAll } from './disk.ts';
import { mendTail, type TailOptions } from './torn-tail.ts';

/** A file of lines that only grows. One call at a time: whoever uses it sees to that. */
export interface LineFile {
  /** Adds whole lines, and resolves once they are durable. When it rejects, none of them is in the file, now or later. */
  append(lines: string): Promise<void>;
  /** Resolves if lines could be added now: tries it with a file of its own beside this one, which it removes. */
  check(): Promise<void>;
  /** Begins a new file where the old one was renamed away. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export interface LineFileOptions extends TailOptions {
  /** Is asked before the file is changed, and rejects where somebody else owns it. */
  mayWrite(): Promise<void>;
}

/** How much check() writes, in bytes: a block of most file systems, more than a line is long. */
const probeBytes = 4096;

interface OpenFile {
  handle: FileHandle;
  dev: bigint;
  ino: bigint;
  /** How far the file is known to be durable, in bytes. What lies behind was never acknowledged. */
  length: number;
}

/**
 * Opens a file of lines, made with mode 0600 where there is none, and mends its end (see mendTail).
 *
 * When a write or a sync fails, the lines are cut off again and the file is opened anew, at once or, where that fails
 * too, before the next lines; until then all are refused. The same bytes are never synced twice: after a failed sync
 * Linux may drop them and report success the second time. Of a file that was renamed meanwhile and cannot be cut any
 * more, the operator is told: it does not stop the new one.
 *
 * Each append looks whether the path still names the open file, with the length it left: a file that was renamed or
 * removed is followed by a new one, even without reopen(), and lines written to one that was removed meanwhile are
 * written again to the new one before they are acknowledged. Lines written to one renamed meanwhile stay there.
 */
export async function openLineFile(options: LineFileOptions): Promise<LineFile> {
  const { path, disk, warn, mayWrite, ownerOnly = false } = options;
  const flags = constants.O_CREAT | constants.O_RDWR | constants.O_APPEND;
  let file = await mend(await open());
  let broken = false;

  async function open(): Promise<OpenFile> {
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

  /** Makes an opened file fit to be written to, durably as it then is. */
  async function mend(opened: OpenFile): Promise<OpenFile> {
    try {
      const length = await mendTail(opened.handle, options);
      await opened.handle.datasync();
      await syncFolder(disk, dirname(path));
      return { ...opened, length };
    } catch (error) {
      await opened.handle.close();
      throw error;
    }
  }

  async function replace(): Promise<void> {
    const old = file;
    file = await mend(await open());
    await old.handle.close().catch(() => {});
  }

  /** What became of the open file: the path names it, as it was left or changed, or another name does, or none. */
  async function whereabouts(): Promise<'here' | 'changed' | 'renamed' | 'removed'> {
    try {
      const { dev, ino, size } = await disk.stat(path, { bigint: true });
      if (dev === file.dev && ino === file.ino) return Number(size) === file.length ? 'here' : 'changed';
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    }
    return (await file.handle.stat({ bigint: true })).nlink > 0n ? 'renamed' : 'removed';
  }

  /** Follows what was done to the file from outside while nothing was written. */
  async function catchUp(): Promise<void> {
    const found = await whereabouts();
    if (found === 'here') return;
    await replace();
    warn(`${path} was ${found} from outside while it was open; lines go on into the file that has this name now.`);
  }

  /** Opens the path anew, once what a failed write or sync left is cut off. */
  async function repair(): Promise<void> {
    await mayWrite();
    const fresh = await open();
    try {
      await cutBack(fresh);
    } catch (error) {
      await fresh.handle.close();
      throw error;
    }
    const old = file;
    file = await mend(fresh);
    broken = false;
    await old.handle.close().catch(() => {});
  }

  /** Cuts by the new descriptor where the path still names the file, else by the old one. */
  async function cutBack(fresh: OpenFile): Promise<void> {
    const same = fresh.dev === file.dev && fresh.ino === file.ino;
    const { handle } = same ? fresh : file;
    try {
      // A file that became shorter from outside must not be filled up with zeros.
      if ((await handle.stat()).size > file.length) await handle.truncate(file.length);
      // mend() syncs the fresh one.
      if (!same) await handle.datasync();
    } catch (error) {
      if (same) throw error;
      warn(`Refused lines may be left at the end of the file that was ${path} before (${reasonOf(error)}).`);
    }
  }

  async function write(bytes: Buffer): Promise<void> {
    try {
      await writeAll(file.handle, bytes);
      await file.handle.datasync();
    } catch (error) {
      broken = true;
      await repair().catch((cause) => warn(`${path} cannot be repaired yet, and takes no lines: ${reasonOf(cause)}`));
      throw error;
    }
    file.length += bytes.length;
  }

  return {
    async append(lines) {
      await mayWrite();
      if (broken) await repair();
      await catchUp();
      const bytes = Buffer.from(lines);
      for (let attempt = 1; ; attempt += 1) {
        await write(bytes);
        // The lines are durable: that their place cannot be looked at is no reason to refuse them.
        if ((await whereabouts().catch(() => 'here')) !== 'removed') return;
        if (attempt === 3) throw new Error(`${path} is removed again and again.`);
        await replace();
        warn(`${path} was removed from outside while lines were written; they were written to a new one.`);
      }
    },
    async check() {
      await mayWrite();
      if (broken) await repair();
      const probe = `${path}.probe`;
      // One is left over where a process was killed in the middle of this.
      await disk.unlink(probe).catch(() => {});
      await createFile(disk, probe, Buffer.alloc(probeBytes));
      await disk.unlink(probe);
    },
    async reopen() {
      await mayWrite();
      if (broken) await repair();
      await replace();
    },
    async close() {
      if (broken) await repair().catch((cause) => warn(`${path} may hold lines that were refused: ${reasonOf(cause)}`));
      await file.handle.close();
    },
  };
}

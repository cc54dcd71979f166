import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type LogFiles, makeFolderOf, realFiles, syncFolder, writeAll } from './log-files.ts';
import { settleTail } from './torn-tail.ts';

/** A file that lines are only ever added to. It has one owner: nobody else writes to it meanwhile. */
export interface AppendLog {
  /**
   * Resolves once the line is on disk (write, then fdatasync); lines that arrive together share one sync. When it
   * rejects, with the system's error, the line is not in the file, or will be cut from it before the next one.
   */
  append(line: string): Promise<void>;
  /** Goes on in the file that now has the path; a rename or removal is noticed before the next line even without. */
  reopen(): Promise<void>;
  /** Waits for the lines under way; later ones are refused. */
  close(): Promise<void>;
}

export interface AppendLogOptions {
  files?: LogFiles;
  /** Is told in words what was done about a torn line, wide permissions, or a disk that fails. */
  warn?: (facts: Record<string, unknown>, message: string) => void;
  /** The most lines that wait for the disk; more are refused. @default 10_000 */
  maxQueued?: number;
}

interface OpenFile {
  handle: FileHandle;
  /** Which file it is, whatever its name. */
  dev: number;
  ino: number;
}

interface Waiting {
  line: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Opens the log at `path`, mode 0600, or makes it and its folder; throws the system's error where it cannot. */
export async function openAppendLog(
  path: string,
  { files = realFiles, warn = () => {}, maxQueued = 10_000 }: AppendLogOptions = {},
): Promise<AppendLog> {
  await makeFolderOf(path, files);
  let file = await open();
  let length = await settle(file).catch(async (error) => {
    await file.handle.close();
    throw error;
  });
  /** False while the file may hold bytes of lines that were refused. */
  let sound = true;
  let queue: Waiting[] = [];
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  /** One thing at a time on the file. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  }

  async function open(): Promise<OpenFile> {
    const handle = await files.open(path, 'a+', 0o600);
    try {
      const { dev, ino, mode } = await handle.stat();
      if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
        await handle.chmod(0o600);
        warn({ file: path }, 'The file was open to other users of this machine; now only its owner can read it.');
      }
      return { handle, dev, ino };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async function settle({ handle }: OpenFile): Promise<number> {
    const { length, setAside } = await settleTail(path, handle, files);
    if (setAside > 0) warn({ file: path, bytes: setAside }, 'A torn last line was set aside.');
    await syncFolder(dirname(path), files);
    return length;
  }

  /** Opens the path anew. What was not synced is cut off first, wherever it stands: a sync is not tried on it again. */
  async function renew(): Promise<void> {
    const next = await open();
    try {
      if (!sound) await cutBack(next);
      length = await settle(next);
    } catch (error) {
      await next.handle.close();
      throw error;
    }
    const old = file;
    file = next;
    sound = true;
    await old.handle.close().catch(() => {});
  }

  async function cutBack(next: OpenFile): Promise<void> {
    const same = next.dev === file.dev && next.ino === file.ino;
    const { handle } = same ? next : file;
    try {
      if ((await handle.stat()).size > length) await handle.truncate(length);
      await handle.datasync();
    } catch (error) {
      // A file that was rotated away and cannot be written any more must not stop the new one.
      if (same) throw error;
      warn({ file: path }, 'Refused lines may be left at the end of the file that was rotated.');
    }
  }

  /** Whether the path still leads to the open file as it was left: after a removal, lines would go nowhere. */
  async function inPlace(): Promise<boolean> {
    const found = await files.stat(path).catch(() => undefined);
    return found !== undefined && found.dev === file.dev && found.ino === file.ino && found.size === length;
  }

  async function writeQueue(): Promise<void> {
    const batch = queue;
    queue = [];
    if (batch.length === 0) return;
    try {
      if (!sound || !(await inPlace())) await renew();
      const bytes = Buffer.from(batch.map(({ line }) => `${line}\n`).join(''));
      sound = false;
      await writeAll(file.handle, bytes);
      await file.handle.datasync();
      length += bytes.length;
      sound = true;
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (!sound)
        await renew().catch(() => warn({ file: path }, 'The disk fails; it is tried again with the next line.'));
      for (const { reject } of batch) reject(error);
    }
  }

  return {
    append(line) {
      return new Promise((resolve, reject) => {
        if (closed) return reject(new Error('The log is closed.'));
        if (line.includes('\n')) return reject(new Error('A line of the log may hold no newline.'));
        if (queue.length >= maxQueued) return reject(new Error('Too many lines wait for the disk.'));
        queue.push({ line, resolve, reject });
        // The first of the lines that wait asks for a turn; by then others have joined it.
        if (queue.length === 1) inTurn(writeQueue);
      });
    },
    reopen: () => inTurn(async () => (closed ? undefined : renew())),
    async close() {
      if (closed) return;
      closed = true;
      await inTurn(() => file.handle.close());
    },
  };
}

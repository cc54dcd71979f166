import { dirname } from 'node:path';
import { OperationError } from '../diagnostics/diagnostic.ts';
import { type Disk, hasCode, syncFolder, writeAll } from './disk.ts';
import { readLines } from './lines.ts';

export interface RewriteOptions {
  /** The file, of which this process is the owner (see withLock). */
  file: string;
  /** Free to use, beside the file; what a crash left there is removed. */
  draft: string;
  disk: Disk;
  /** The rights of the new file. @default those of the old one */
  mode?: number;
  /** Gives the line that takes a line's place, with its newline, or null for none. */
  change(line: Buffer): Buffer | null;
}

/**
 * Puts a changed copy in the place of a file, of the same owner: a crash leaves the old or the new one, whole.
 *
 * Where it fails the old one stays, and no draft. Rejects with an OperationError where somebody who heeds no lock
 * changed the file meanwhile.
 */
export async function rewriteLines({ file, draft, disk, mode, change }: RewriteOptions): Promise<void> {
  const before = await disk.stat(file);
  await disk.unlink(draft).catch((error) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  try {
    const handle = await disk.open(draft, 'wx', 0o600);
    try {
      // Made by root, the file must still belong to the user that the server runs as.
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
        throw new OperationError(`${file} changed meanwhile: stop the server, then try again.`);
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

/** Gathers lines, so that each write is worth its while. */
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

import { dirname } from 'node:path';
import { OperationError } from '../errors.ts';
import { type Disk, hasCode, syncFolder, writeAll } from './disk.ts';
import { readLines } from './lines.ts';

export interface RewriteOptions {
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

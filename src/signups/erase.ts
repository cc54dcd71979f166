import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OperationError } from '../diagnostics.ts';
import { type Line, readLines } from './lines.ts';
import { type LogFiles, realFiles, syncFolder, writeAll } from './log-files.ts';
import { tornPath } from './torn-tail.ts';

/**
 * Runs `work` as the one owner of the file at `path`, and throws an OperationError that names the owner where there is
 * another: a server that has the file open would go on writing to the one that was replaced.
 */
export type WithLock = <Result>(path: string, work: () => Promise<Result>) => Promise<Result>;

/**
 * Removes every line of one address, whatever its case, from the file of sign-ups, and what holds it in the file of
 * torn lines beside it. Returns how many lines. The other lines are kept byte for byte.
 *
 * Each file is replaced in one step: killed at any moment, it is the old or the new one. Files that were rotated under
 * other names are not touched: call it for each.
 */
export async function eraseSignups(
  path: string,
  address: string,
  withLock: WithLock,
  files: LogFiles = realFiles,
): Promise<number> {
  const wanted = address.trim().toLowerCase();
  if (wanted === '') return 0;
  return withLock(path, async () => (await erase(path, wanted, files)) + (await erase(tornPath(path), wanted, files)));
}

async function erase(path: string, wanted: string, files: LogFiles): Promise<number> {
  let count = 0;
  for await (const line of readLines(path)) if (isOf(line, wanted)) count += 1;
  if (count > 0) await replace(path, (line) => !isOf(line, wanted), files);
  return count;
}

/** Writes the lines to keep into a new file, 0600 and of the same owner, and puts it in the place of the old one. */
async function replace(path: string, keep: (line: Line) => boolean, files: LogFiles): Promise<void> {
  const before = await files.stat(path);
  const beside = `${path}.erasing`;
  // One that a crash left holds addresses, and may be open to others.
  await files.rm(beside, { force: true });
  try {
    const handle = await files.open(beside, 'ax', 0o600);
    try {
      await handle.chmod(0o600);
      // The server must be able to open it, whoever erases.
      const { uid, gid } = await handle.stat();
      if (uid !== before.uid || gid !== before.gid) await handle.chown(before.uid, before.gid);
      const size = await copy(path, keep, handle);
      const after = await files.stat(path);
      if (size !== before.size || after.size !== before.size || after.ino !== before.ino) {
        throw new OperationError(`${path} changed meanwhile: stop the server, then erase.`);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await files.rename(beside, path);
  } catch (error) {
    await files.rm(beside, { force: true });
    throw error;
  }
  await syncFolder(dirname(path), files);
}

/** Returns how long the file is that was read, in bytes. */
async function copy(path: string, keep: (line: Line) => boolean, to: FileHandle): Promise<number> {
  let size = 0;
  let kept: Buffer[] = [];
  for await (const line of readLines(path)) {
    size += line.bytes.length;
    if (keep(line)) kept.push(line.bytes);
    if (kept.length < 1000) continue;
    await writeAll(to, Buffer.concat(kept));
    kept = [];
  }
  await writeAll(to, Buffer.concat(kept));
  return size;
}

/** A line that cannot be read is of the address where it holds it: better one torn line too few than a trace left. */
function isOf({ signup, bytes }: Line, wanted: string): boolean {
  return signup === undefined
    ? bytes.toString('utf8').toLowerCase().includes(wanted)
    : signup.email.toLowerCase() === wanted;
}

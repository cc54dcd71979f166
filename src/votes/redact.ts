import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { OperationError } from '../diagnostics.ts';
import { type Disk, hasCode, syncFolder, writeAll } from './disk.ts';
import { cannotOpen, located, type VoteLogOptions } from './jsonl.ts';
import { acquireLock } from './lock.ts';
import { readLines } from './read-log.ts';

/**
 * Blanks the note of one vote in a log, which may be one that was rotated away. False where the vote has no note.
 *
 * It takes the log's lock, so that it is refused while a server has the log. All other lines stay byte for byte; a
 * crash leaves the old log or the new one. Rejects with an OperationError where no vote has that id.
 */
export async function redact(options: VoteLogOptions, id: string): Promise<boolean> {
  const { disk = fs, random } = options;
  const file = await located(options.file, disk);
  const lock = await acquireLock({ ...options, disk, file }).catch((error) => {
    throw cannotOpen(file, error);
  });
  try {
    const found = await find(file, id);
    if (found === undefined) throw new OperationError(`No vote in ${file} has the id ${id}.`);
    if (found.note === undefined || found.note === '') return false;
    await rewrite({ file, disk, draft: `${file}.redacted-${random(6).toString('hex')}` }, (line) => blanked(line, id));
    return true;
  } catch (error) {
    throw cannotOpen(file, error);
  } finally {
    await lock.release();
  }
}

type Line = Record<string, unknown>;

async function find(file: string, id: string): Promise<Line | undefined> {
  for await (const line of readLines(file)) {
    const vote = voteOf(line, id);
    if (vote !== undefined) return vote;
  }
  return undefined;
}

/** The parsed line where it is the vote of that id. */
function voteOf(line: Buffer, id: string): Line | undefined {
  // Parsing is what costs in a large log.
  if (!line.includes(id)) return undefined;
  try {
    const value: Line | null = JSON.parse(line.toString('utf8'));
    return value?.id === id ? value : undefined;
  } catch {
    return undefined;
  }
}

function blanked(line: Buffer, id: string): Buffer {
  const vote = voteOf(line, id);
  return vote === undefined ? line : Buffer.from(`${JSON.stringify({ ...vote, note: '' })}\n`);
}

interface Rewriting {
  file: string;
  disk: Disk;
  draft: string;
}

async function rewrite({ file, disk, draft }: Rewriting, change: (line: Buffer) => Buffer): Promise<void> {
  const { mode, uid, gid } = await disk.stat(file);
  const handle = await disk.open(draft, 'wx', 0o600);
  try {
    try {
      // Made by root, the log must still belong to the user that the server runs as.
      await handle.chown(uid, gid).catch((error) => {
        if (!hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP')) throw error;
      });
      await handle.chmod(mode & 0o777);
      for await (const block of blocks(readLines(file), change)) await writeAll(handle, block);
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

/** Gathers lines, so that each write is worth its while. */
async function* blocks(lines: AsyncIterable<Buffer>, change: (line: Buffer) => Buffer): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const line of lines) {
    waiting.push(change(line));
    bytes += line.length;
    if (bytes < 1_048_576) continue;
    yield Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
  }
  yield Buffer.concat(waiting);
}

import * as fs from 'node:fs/promises';
import { OperationError } from '../errors.ts';
import { hasCode, realPath } from '../journal/disk.ts';
import { readLines } from '../journal/lines.ts';
import { withLock } from '../journal/lock.ts';
import { rewriteLines } from '../journal/rewrite.ts';
import { parseRecord } from '../text-safety/bounded-input.ts';
import { cannotOpen, type VoteLogOptions } from './file-votes.ts';

/**
 * Blanks the note of one vote in a log or a rotated file of one. Returns false if the vote has no note.
 *
 * All other lines stay byte for byte, and a crash leaves either the old or the new log. Rejects with OperationError if no
 * vote has the id, or while a server holds the lock of the log.
 */
export async function redact(options: VoteLogOptions, id: string): Promise<boolean> {
  const { disk = fs } = options;
  try {
    const file = await realPath(disk, options.file);
    return await withLock({ ...options, disk, file }, async () => {
      const found = await find(file, id);
      if (found === undefined) throw new OperationError(`No vote in ${file} has the id ${id}.`);
      if (found.note === undefined || found.note === '') return false;
      await rewriteLines({ file, draft: `${file}.redacting`, disk, change: (line) => blanked(line, id) });
      return true;
    });
  } catch (error) {
    if (hasCode(error, 'ENOENT'))
      throw new OperationError(`The vote log ${options.file} does not exist.`, { cause: error });
    throw cannotOpen(options.file, error);
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

/** The parsed line, if it is the vote with this id. */
function voteOf(line: Buffer, id: string): Line | undefined {
  // Parsing every line of a large log would be slow.
  if (!line.includes(id)) return undefined;
  try {
    const value = parseRecord(line.toString('utf8')) as Line | null;
    return value?.id === id ? value : undefined;
  } catch {
    return undefined;
  }
}

function blanked(line: Buffer, id: string): Buffer {
  const vote = voteOf(line, id);
  return vote === undefined ? line : Buffer.from(`${JSON.stringify({ ...vote, note: '' })}\n`);
}

import * as fs from 'node:fs/promises';
import { OperationError } from '../errors.ts';
import { realPath } from '../journal/disk.ts';
import { readLines } from '../journal/lines.ts';
import { withLock } from '../journal/lock.ts';
import { rewriteLines } from '../journal/rewrite.ts';
import { cannotOpen, type VoteLogOptions } from './jsonl.ts';

/**
 * Blanks the note of one vote in a log, which may be one that was rotated away. False where the vote has no note.
 *
 * It takes the log's lock, so that it is refused while a server has the log. All other lines stay byte for byte; a
 * crash leaves the old log or the new one. Rejects with an OperationError where no vote has that id.
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

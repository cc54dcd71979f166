import { compareText } from '../compare.ts';
import { isPacked, rotatedFiles } from '../journal/rotated.ts';
import { readVotes } from './read-log.ts';
import type { VoteRecord } from './vote.ts';

/** The vote log and its rotated files. */
export interface VoteLogs {
  /** Readable files, those with the oldest votes first. */
  files: string[];
  /** Files in a compression that cannot be read here. */
  unreadable: string[];
}

/** Finds the files of a vote log, even if only rotated ones are left. */
export async function findVoteLogs(file: string): Promise<VoteLogs> {
  const found = await rotatedFiles(file);
  // A file that is being compressed exists twice.
  const once = found.filter((name) => !(isPacked(name) && found.includes(name.replace(/\.\w+$/, ''))));
  const readable = once.filter((name) => !isPacked(name) || name.endsWith('.gz'));
  const dated = await Promise.all(readable.map(async (name) => ({ name, time: await firstTime(name) })));
  dated.sort((a, b) => compareText(a.time, b.time));
  return {
    files: [...dated.map(({ name }) => name), file],
    unreadable: once.filter((name) => !readable.includes(name)),
  };
}

async function firstTime(file: string): Promise<string> {
  for await (const { time } of readVotes(file)) return time;
  return '';
}

/** Reads the votes of several files in turn, each vote once. Calls `onMalformed` for each line that is not a vote. */
export async function* readAllVotes(
  files: readonly string[],
  onMalformed: (file: string, line: number) => void,
): AsyncGenerator<VoteRecord> {
  const seen = new Set<string>();
  for (const file of files) {
    for await (const vote of readVotes(file, { onMalformed: (line) => onMalformed(file, line) })) {
      if (files.length > 1) {
        if (seen.has(vote.id)) continue;
        seen.add(vote.id);
      }
      yield vote;
    }
  }
}

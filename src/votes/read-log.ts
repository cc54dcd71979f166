import { createReadStream } from 'node:fs';
import { hasCode } from './disk.ts';
import { type VoteRecord, voteRecord } from './store.ts';

export interface ReadOptions {
  /** Is told of each line that is no vote: its number from 1, and where it was left out. */
  onMalformed?(line: number): void;
}

/**
 * Reads the votes of a log, in order; none where there is no such file. A server may be writing to it meanwhile.
 *
 * A line that is no whole record is passed over. One at the end that still lacks its newline is a write under way, or
 * cut off by a crash: it counts when it is whole, and is no fault when it is not.
 */
export async function* readVotes(file: string, { onMalformed }: ReadOptions = {}): AsyncGenerator<VoteRecord> {
  let number = 0;
  for await (const line of readLines(file)) {
    number += 1;
    const text = line.toString('utf8').trim();
    const record = text === '' ? undefined : parseVote(text);
    if (record !== undefined) yield record;
    else if (text !== '' && line.at(-1) === newline) onMalformed?.(number);
  }
}

/** Reads a file line by line, as bytes, each with its newline; the last may lack it. A missing file has no lines. */
export async function* readLines(file: string): AsyncGenerator<Buffer> {
  // Not node:readline: it also splits at U+2028, which JSON leaves as it is within a note.
  let rest: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
        const line = chunk.subarray(from, end + 1);
        yield rest.length > 0 ? Buffer.concat([...rest, line]) : line;
        rest = [];
        from = end + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

const newline = 0x0a;

function parseVote(text: string): VoteRecord | undefined {
  try {
    return voteRecord.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

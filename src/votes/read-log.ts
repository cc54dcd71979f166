import { newline, readLines } from '../journal/lines.ts';
import { parseRecord } from '../text-safety/bounded-input.ts';
import { type VoteRecord, voteRecord } from './vote.ts';

export interface ReadOptions {
  /** Called with the number, from 1, of each line that is not a vote. */
  onMalformed?(line: number): void;
}

/**
 * Reads the votes of a log in order; none if the file does not exist. A server may be writing to it.
 *
 * Lines that are not complete records are skipped. A last line without a newline is being written, or was cut off by a
 * crash: it counts if it is complete, and is not reported if it is not.
 */
export async function* readVotes(file: string, { onMalformed }: ReadOptions = {}): AsyncGenerator<VoteRecord> {
  let number = 0;
  for await (const line of readLines(file)) {
    number += 1;
    const text = line.toString('utf8').trim();
    const record = parseVote(text);
    if (record !== undefined) yield record;
    else if (text !== '' && line.at(-1) === newline) onMalformed?.(number);
  }
}

function parseVote(text: string): VoteRecord | undefined {
  try {
    return voteRecord.safeParse(parseRecord(text)).data;
  } catch {
    return undefined;
  }
}

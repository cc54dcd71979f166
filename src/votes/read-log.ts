import { newline, readLines } from '../journal/lines.ts';
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

function parseVote(text: string): VoteRecord | undefined {
  try {
    return voteRecord.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

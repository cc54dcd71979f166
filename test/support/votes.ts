import { randomBytes } from 'node:crypto';
import { openVoteLog, readVotes, type VoteLogOptions } from '../../src/storage/file-votes.ts';
import type { NewVote, StoredVote, VoteStore } from '../../src/storage/vote.ts';

export interface Opened {
  store: VoteStore;
  warnings: string[];
}

/** Runs `task` with an open log, which is closed afterwards. */
export async function withLog(
  options: Partial<VoteLogOptions> & { file: string },
  task: (opened: Opened) => Promise<void>,
): Promise<void> {
  const warnings: string[] = [];
  const store = await openVoteLog(testOptions({ ...options, warn: (message) => void warnings.push(message) }));
  try {
    await task({ store, warnings });
  } finally {
    await store.close();
  }
}

export function testOptions(options: Partial<VoteLogOptions> & { file: string }): VoteLogOptions {
  return { now: () => new Date(), random: randomBytes, warn: () => {}, ...options };
}

export function voteBy(client: number, rest: Partial<NewVote> = {}): NewVote {
  return { slug: 'release-notes', vote: 'yes', address: `192.0.2.${client}`, ...rest };
}

export async function votesIn(file: string): Promise<StoredVote[]> {
  return all(readVotes([file]));
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

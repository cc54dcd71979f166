import type { Database } from '../database/connections.ts';
import { forgetTotals } from './database-reading.ts';
import { insertVotes } from './database-votes.ts';
import { utcDay } from './stamp.ts';
import type { VoteRecord } from './vote.ts';

/** How many votes one statement adds. */
const batchLength = 2_000;

/** Adds votes to a database, in order. Returns how many were new, and how many it had already, by their ids. */
export async function importVotes(
  database: Database,
  votes: AsyncIterable<VoteRecord>,
): Promise<{ added: number; known: number }> {
  let [added, known] = [0, 0];
  let batch: VoteRecord[] = [];
  const store = async () => {
    const stored = await insertVotes(database, batch);
    added += stored;
    known += batch.length - stored;
    // Also for votes that are known: an earlier import may have been interrupted here.
    const days = batch.map(({ time }) => utcDay(new Date(time))).sort();
    await forgetTotals(database, days[0] ?? '9999-12-31');
    batch = [];
  };
  for await (const vote of votes) {
    batch.push(vote);
    if (batch.length === batchLength) await store();
  }
  await store();
  return { added, known };
}

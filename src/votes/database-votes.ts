import type { Database } from '../database/connections.ts';
import { DatabaseUnavailable, retrying } from '../database/unavailable.ts';
import { type GroupCommitOptions, groupCommit } from '../journal/group-commit.ts';
import { sharedSecret } from './database-secret.ts';
import { stamp, utcDay } from './stamp.ts';
import { type NewVote, type VoteRecord, type VoteStore, VotesUnavailable } from './vote.ts';

export interface DatabaseVotesOptions extends Pick<GroupCommitOptions, 'onPass'> {
  database: Database;
  now(): Date;
  /** Returns this many bytes from a cryptographic source. */
  random(bytes: number): Buffer;
}

/**
 * Stores votes in a database. Concurrent votes share a batch, which is one statement and one commit.
 *
 * If a connection breaks during a commit, nobody knows whether the batch was stored. It is then stored again, and the
 * ids of its votes make sure that none is there twice.
 */
export function openDatabaseVotes({ database, now, random, onPass }: DatabaseVotesOptions): VoteStore {
  const commit = groupCommit(store, { ...(onPass && { onPass }) });
  const secretOf = sharedSecret(database, random);
  let closed = false;
  // The secret is replaced each day even without votes. If that fails, the next vote reports it.
  const renewal = setInterval(() => void secretOf(utcDay(now())).catch(() => {}), 60_000);
  renewal.unref();

  async function store(votes: readonly NewVote[]): Promise<readonly VoteRecord[]> {
    const at = now();
    const secret = await retrying(database, () => secretOf(utcDay(at)));
    const records = stamp(votes, { at, secret, random });
    await retrying(database, () => insertVotes(database, records));
    return records;
  }

  return {
    async append(vote) {
      try {
        if (closed) throw new Error('The store is closed.');
        // Votes do not wait behind a batch that is being tried again.
        const failure = database.failure();
        if (failure !== null) throw failure;
        return await commit.add(vote);
      } catch (error) {
        throw new VotesUnavailable(error, error instanceof DatabaseUnavailable && error.isLogged);
      }
    },
    // The statement needs the same rights on the same table as one with votes.
    check: async () => void (await insertVotes(database, [])),
    reopen: async () => {},
    async close() {
      closed = true;
      clearInterval(renewal);
      await commit.idle();
    },
  };
}

/** Adds votes in one statement, and returns how many of them are new: those with a known id are left out. */
export async function insertVotes(database: Database, votes: readonly VoteRecord[]): Promise<number> {
  const columns = [
    votes.map(({ id }) => id),
    votes.map(({ time }) => time),
    votes.map(({ slug }) => slug),
    votes.map(({ vote }) => vote),
    // PostgreSQL stores no NUL. Notes of readers do not contain it, but imported ones could.
    votes.map(({ note }) => note?.replaceAll('\0', '\uFFFD') ?? null),
    votes.map(({ voter }) => voter),
  ];
  const text = `INSERT INTO catalog_votes (id, time, slug, vote, note, voter)
    SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[])
    ON CONFLICT (id) DO NOTHING RETURNING 1`;
  return (await database.query(text, columns, 'insert-votes')).length;
}

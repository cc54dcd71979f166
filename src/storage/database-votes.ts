import { DatabaseUnavailable, retrying } from './database.ts';
import { type GroupCommitOptions, groupCommit } from './group-commit.ts';
import type { Database } from './postgres.ts';
import {
  type NewVote,
  type StoredVote,
  stamp,
  utcDay,
  type VoteStore,
  VotesUnavailable,
  type VoteTotal,
} from './vote.ts';

/** Returns the secret of a UTC day, which all servers share. The first server to ask makes it and deletes older ones. */
export function sharedSecret(database: Database, random: (bytes: number) => Buffer): (day: string) => Promise<Buffer> {
  let current: { day: string; secret: Buffer } | undefined;
  return async (day) => {
    if (current?.day === day) return current.secret;
    const make = 'INSERT INTO catalog_voter_secrets (day, secret) VALUES ($1, $2) ON CONFLICT (day) DO NOTHING';
    await database.query(make, [day, random(32)]);
    await database.query('DELETE FROM catalog_voter_secrets WHERE day < $1', [day]);
    const find = 'SELECT secret FROM catalog_voter_secrets WHERE day = $1';
    const [row] = await database.query<{ secret: Buffer }>(find, [day]);
    if (row === undefined) throw new Error(`Another server has deleted the secret of ${day}; compare the clocks.`);
    current = { day, secret: row.secret };
    return row.secret;
  };
}

interface DatabaseVotesOptions extends Pick<GroupCommitOptions, 'onPass'> {
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
  const commit = groupCommit(store, { onPass });
  const secretOf = sharedSecret(database, random);
  let closed = false;
  // The secret is replaced each day even without votes. If that fails, the next vote reports it.
  const renewal = setInterval(() => void secretOf(utcDay(now())).catch(() => {}), 60_000);
  renewal.unref();

  async function store(votes: readonly NewVote[]): Promise<readonly StoredVote[]> {
    const at = now();
    const secret = await retrying(database, () => secretOf(utcDay(at)));
    const stored = stamp(votes, { at, secret, random });
    await retrying(database, () => insertVotes(database, stored));
    return stored;
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
    totals: () => liveTotals(database, now()),
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

/**
 * Adds votes in one statement, and returns how many of them are new: those with an existing id are left out. Days from the
 * earliest of them on that were counted already, which clocks that differ or an import can cause, are counted again.
 */
export async function insertVotes(database: Database, votes: readonly StoredVote[]): Promise<number> {
  const columns = [
    votes.map(({ id }) => id),
    votes.map(({ time }) => time),
    votes.map(({ slug }) => slug),
    votes.map(({ vote }) => vote),
    // PostgreSQL stores no NUL. Notes of readers do not contain it, but imported ones could.
    votes.map(({ note }) => note?.replaceAll('\0', '\uFFFD') ?? null),
    votes.map(({ voter }) => voter),
  ];
  const text = `WITH recounted AS (DELETE FROM catalog_vote_days
      WHERE day >= (SELECT min(time AT TIME ZONE 'UTC')::date FROM unnest($2::timestamptz[]) AS time))
    INSERT INTO catalog_votes (id, time, slug, vote, note, voter)
    SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[])
    ON CONFLICT (id) DO NOTHING RETURNING 1`;
  return (await database.query(text, columns)).length;
}

/** How long after its end a day still counts as open, in milliseconds: clocks differ, and a commit takes time. */
const lateMs = 600_000;

/** The votes that a statement counts, from `$1` on: the last one of each reader for each agent on each UTC day. */
const lastVotes = `SELECT DISTINCT ON (day, slug, voter) (time AT TIME ZONE 'UTC')::date AS day, slug, voter, vote
  FROM catalog_votes WHERE time >= $1::date::timestamp AT TIME ZONE 'UTC'`;
const latestFirst = 'ORDER BY day, slug, voter, time DESC, position DESC';
const counts = "count(*) FILTER (WHERE vote = 'yes') AS yes, count(*) FILTER (WHERE vote = 'no') AS no";

/**
 * Returns the totals of all agents, most votes first. Days that are over are counted once and their totals kept, so a
 * call reads only the votes of days that are not counted yet, usually the votes of today.
 */
async function liveTotals(database: Database, now: Date): Promise<VoteTotal[]> {
  const open = utcDay(new Date(now.getTime() - lateMs));
  const kept = 'SELECT coalesce(max(day) + 1, $1::date)::text AS day FROM catalog_vote_days';
  const [first] = await database.query<{ day: string }>(kept, ['1970-01-01']);
  await database.query(
    `INSERT INTO catalog_vote_days (day, slug, yes, no) SELECT day, slug, ${counts} FROM
      (${lastVotes} AND time < $2::date::timestamp AT TIME ZONE 'UTC' ${latestFirst}) AS last
      GROUP BY day, slug ON CONFLICT (day, slug) DO NOTHING`,
    [first?.day, open],
  );
  const rows = await database.query<Record<keyof VoteTotal, string>>(
    `SELECT slug, sum(yes) AS yes, sum(no) AS no FROM (
      SELECT slug, yes, no FROM catalog_vote_days WHERE day < $1
      UNION ALL
      SELECT slug, ${counts} FROM (${lastVotes} ${latestFirst}) AS last GROUP BY slug
    ) AS days GROUP BY slug ORDER BY sum(yes) + sum(no) DESC, slug`,
    [open],
  );
  return rows.map(({ slug, yes, no }) => ({ slug, yes: Number(yes), no: Number(no) }));
}

/**
 * Blanks the note of one vote. Returns false if the vote has no note, and undefined if no vote has the id. Needs the
 * right to update, which servers do not have.
 */
async function redactInDatabase(database: Database, id: string): Promise<boolean | undefined> {
  const [row] = await database.query<{ note: string | null }>('SELECT note FROM catalog_votes WHERE id = $1', [id]);
  if (row === undefined) return undefined;
  if (row.note === null || row.note === '') return false;
  await database.query("UPDATE catalog_votes SET note = '' WHERE id = $1", [id]);
  return true;
}

/** How many votes are read at once. */
const pageLength = 5_000;

interface Row extends Omit<StoredVote, 'time' | 'note'> {
  /** A bigint, which pg gives as text. */
  position: string;
  /** The time as PostgreSQL writes it, with all digits. */
  at: string;
  time: Date;
  note: string | null;
}

/** How many votes one statement adds. */
const batchLength = 2_000;

/** The votes in a database, for commands. */
export function databaseVotes(database: Database) {
  return {
    /**
     * Reads all votes by their time: a log that was imported later has earlier ones, and totals of files count a
     * day at a time. Servers may be adding more.
     */
    async *all(): AsyncGenerator<StoredVote> {
      const text = `SELECT position, time::text AS at, id, time, slug, vote, note, voter FROM catalog_votes
        WHERE (time, position) > ($1::timestamptz, $2::bigint) ORDER BY time, position LIMIT ${pageLength}`;
      let after = ['-infinity', '0'];
      for (;;) {
        const rows = await database.query<Row>(text, after);
        for (const { position, at, id, time, slug, vote, note, voter } of rows) {
          yield { id, time: time.toISOString(), slug, vote, ...(note === null ? {} : { note }), voter };
          after = [at, position];
        }
        if (rows.length < pageLength) return;
      }
    },
    totals: (now: Date) => liveTotals(database, now),
    /**
     * Adds votes, in order. Returns how many were new, and how many it had already, by their ids. A note that was
     * blanked in the log since an earlier import is blanked in the database, too.
     */
    async import(votes: AsyncIterable<StoredVote>) {
      let [added, total] = [0, 0];
      let batch: StoredVote[] = [];
      const store = async () => {
        added += await insertVotes(database, batch);
        total += batch.length;
        const blanked = batch.filter(({ note }) => note === '').map(({ id }) => id);
        const open = 'SELECT id FROM catalog_votes WHERE id = ANY($1) AND length(note) > 0';
        const left = blanked.length === 0 ? [] : await database.query<{ id: string }>(open, [blanked]);
        for (const { id } of left) await redactInDatabase(database, id);
        batch = [];
      };
      for await (const vote of votes) {
        batch.push(vote);
        if (batch.length === batchLength) await store();
      }
      await store();
      return { added, existing: total - added };
    },
    redact: (id: string) => redactInDatabase(database, id),
  };
}

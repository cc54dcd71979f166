import type { Database } from '../database/connections.ts';
import { utcDay } from './stamp.ts';
import type { VoteRecord } from './vote.ts';

/** How many votes are read at once. */
const pageLength = 5_000;

interface Row extends Omit<VoteRecord, 'time' | 'note'> {
  /** A bigint, which pg gives as text. */
  position: string;
  time: Date;
  note: string | null;
}

/** Reads all votes of a database in the order in which they were stored. Servers may be adding more. */
export async function* readDatabaseVotes(database: Database): AsyncGenerator<VoteRecord> {
  const text = `SELECT position, id, time, slug, vote, note, voter FROM catalog_votes
    WHERE position > $1 ORDER BY position LIMIT ${pageLength}`;
  let after = '0';
  for (;;) {
    const rows = await database.query<Row>(text, [after]);
    for (const { position, id, time, slug, vote, note, voter } of rows) {
      yield { id, time: time.toISOString(), slug, vote, ...(note === null ? {} : { note }), voter };
      after = position;
    }
    if (rows.length < pageLength) return;
  }
}

/** The votes of one agent: each reader's last one of each UTC day. */
export interface LiveTotal {
  slug: string;
  yes: number;
  no: number;
}

/** How long after its end a day still counts as open, in milliseconds: clocks differ, and a commit takes time. */
const lateMs = 600_000;

/** The votes that a statement counts, from `$1` on: the last one of each reader for each agent on each UTC day. */
const lastVotes = `SELECT DISTINCT ON (day, slug, voter) (time AT TIME ZONE 'UTC')::date AS day, slug, voter, vote
  FROM catalog_votes WHERE time >= $1::date::timestamp AT TIME ZONE 'UTC'`;
const latestFirst = 'ORDER BY day, slug, voter, position DESC';
const counts = "count(*) FILTER (WHERE vote = 'yes') AS yes, count(*) FILTER (WHERE vote = 'no') AS no";

/**
 * Returns the totals of all agents, most votes first. Days that are over are counted once and their totals kept, so a
 * call reads only the votes of days that are not counted yet, usually those of today.
 */
export async function liveTotals(database: Database, now: Date): Promise<LiveTotal[]> {
  const open = utcDay(new Date(now.getTime() - lateMs));
  const kept = 'SELECT coalesce(max(day) + 1, $1::date)::text AS day FROM catalog_vote_days';
  const [first] = await database.query<{ day: string }>(kept, ['1970-01-01']);
  await database.query(
    `INSERT INTO catalog_vote_days (day, slug, yes, no) SELECT day, slug, ${counts} FROM
      (${lastVotes} AND time < $2::date::timestamp AT TIME ZONE 'UTC' ${latestFirst}) AS last
      GROUP BY day, slug ON CONFLICT (day, slug) DO NOTHING`,
    [first?.day, open],
  );
  const rows = await database.query<Record<keyof LiveTotal, string>>(
    `SELECT slug, sum(yes) AS yes, sum(no) AS no FROM (
      SELECT slug, yes, no FROM catalog_vote_days WHERE day < $1
      UNION ALL
      SELECT slug, ${counts} FROM (${lastVotes} ${latestFirst}) AS last GROUP BY slug
    ) AS days GROUP BY slug ORDER BY sum(yes) + sum(no) DESC, slug`,
    [open],
  );
  return rows.map(({ slug, yes, no }) => ({ slug, yes: Number(yes), no: Number(no) }));
}

/** Forgets the totals from a day on, so that they are counted again. */
export async function forgetTotals(database: Database, from: string): Promise<void> {
  await database.query('DELETE FROM catalog_vote_days WHERE day >= $1', [from]);
}

/**
 * Blanks the note of one vote. Returns false if the vote has no note, and undefined if no vote has the id. Needs the
 * right to update, which servers do not have.
 */
export async function redactInDatabase(database: Database, id: string): Promise<boolean | undefined> {
  const [found] = await database.query<{ note: string | null }>('SELECT note FROM catalog_votes WHERE id = $1', [id]);
  if (found === undefined) return undefined;
  if (found.note === null || found.note === '') return false;
  await database.query("UPDATE catalog_votes SET note = '' WHERE id = $1", [id]);
  return true;
}

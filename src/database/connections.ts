import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { reasonOf } from '../journal/disk.ts';
import { connectMs, openPool, type Pool } from './pool.ts';
import { DatabaseUnavailable, isTemporary } from './unavailable.ts';

/** A PostgreSQL database, over a pool of connections that are replaced when they break. */
export interface Database {
  /**
   * Runs one statement and returns its rows. Rejects with DatabaseUnavailable if the database is away, at once if that is
   * known, else within seconds; and if no connection was free for two seconds. A statement that broke off may have been
   * executed.
   */
  query<Row extends object>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>;
  /** Why statements are refused at the moment; null if they are not. */
  failure(): DatabaseUnavailable | null;
  /** Resolves as soon as the database is available, with whether it is after `ms` milliseconds at most. */
  available(ms: number): Promise<boolean>;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** A connection URI from databaseUrl. It may contain a password, so do not log it. */
  url: string;
  /** Called with a sentence for the operator. */
  warn(message: string): void;
  /** The most connections at the same time. @default 10 */
  connections?: number;
  /** How long a statement may take, in milliseconds; 0: no limit. @default 5000 */
  statementMs?: number;
}

/** The first and the longest pause between attempts to reach a database that is away, in milliseconds. */
const pauses = { first: 50, longest: 5_000 };
/** How long the database has to fail, or to work again, until statements and the log rely on it, in milliseconds. */
const lastingMs = 1_000;

/**
 * Opens a database; it is reached when it is needed.
 *
 * After a failure, statements wait for an attempt in the background with another connection. If that fails too, they are
 * refused without trying, until one succeeds. So requests never wait for a database that is away, and a single broken
 * connection refuses none.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const { warn } = options;
  const pool = openPool(options);
  let failure: DatabaseUnavailable | null = null;
  /** Whether the log says that the database is unavailable. */
  let isReported = false;
  let pause = 0;
  let calm: NodeJS.Timeout | undefined;
  let recovery: Promise<void> = Promise.resolve();
  /** Resolves once the failure is over, or known to last. */
  let verdict: Promise<void> = Promise.resolve();
  const closing = new AbortController();

  function fail(error: unknown): DatabaseUnavailable {
    if (failure !== null) return failure;
    const current = new DatabaseUnavailable(error);
    failure = current;
    clearTimeout(calm);
    if (!closing.signal.aborted) {
      verdict = new Promise((settle) => {
        recovery = recover(current, settle).finally(settle);
      });
    }
    return current;
  }

  async function recover(current: DatabaseUnavailable, settle: () => void): Promise<void> {
    const report = () => {
      current.isLogged = true;
      settle();
      if (isReported || closing.signal.aborted) return;
      isReported = true;
      warn(`The database is unavailable (${reasonOf(current.cause)}). The server keeps trying to reach it.`);
    };
    // It failed again before it was calm.
    if (isReported) report();
    // Keeps a command from ending while a statement waits for the verdict.
    const late = setTimeout(report, lastingMs);
    for (;;) {
      // Closing ends the pause.
      await sleep(pause, null, { signal: closing.signal, ref: false }).catch(() => {});
      pause = Math.min(Math.max(2 * pause, pauses.first), pauses.longest);
      const problem = closing.signal.aborted ? null : await problemWithWriting(pool);
      if (problem === null) break;
      // 53300: PostgreSQL is there, and another server may soon leave a connection.
      if ((problem as { code?: string }).code !== '53300') report();
    }
    clearTimeout(late);
    failure = null;
    calm = setTimeout(() => {
      pause = 0;
      if (isReported) warn('The database is available again.');
      isReported = false;
    }, lastingMs).unref();
  }

  async function connect(): Promise<PoolClient> {
    for (;;) {
      await verdict;
      if (failure !== null) throw failure;
      try {
        return await pool.connect();
      } catch (error) {
        if (error instanceof DatabaseUnavailable || !isTemporary(error)) throw error;
        fail(error);
      }
    }
  }

  return {
    async query<Row extends object>(text: string, values: readonly unknown[] = [], name?: string) {
      const client = await connect();
      try {
        const { rows } = await client.query<Row>({ text, values: [...values], ...(name !== undefined && { name }) });
        pool.release(client, false);
        return rows;
      } catch (error) {
        pool.release(client, isTemporary(error));
        throw isTemporary(error) ? fail(error) : error;
      }
    },
    failure: () => (failure?.isLogged ? failure : null),
    async available(ms) {
      if (failure === null) return true;
      const waited = new AbortController();
      await Promise.race([recovery, sleep(ms, null, waited).catch(() => {})]);
      waited.abort();
      return failure === null;
    },
    async close() {
      closing.abort();
      await recovery;
      clearTimeout(calm);
      // A connection that hangs must not keep the server from ending.
      await Promise.race([pool.end(), sleep(connectMs, null, { ref: false })]);
    },
  };
}

/** Why nothing can be stored; null if it can. After a failover, the former primary may answer, but take no votes. */
async function problemWithWriting(pool: Pool): Promise<unknown> {
  try {
    const client = await pool.connect();
    const answer = await client.query('SHOW transaction_read_only').catch((error) => error);
    const isWritable = answer.rows?.[0]?.transaction_read_only === 'off';
    pool.release(client, !isWritable);
    return isWritable ? null : answer;
  } catch (error) {
    return error;
  }
}

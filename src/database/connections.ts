import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { reasonOf } from '../journal/disk.ts';
import { DatabaseUnavailable } from './unavailable.ts';

/** A PostgreSQL database, over a pool of connections that are replaced when they break. */
export interface Database {
  /**
   * Runs one statement and returns its rows. Rejects with DatabaseUnavailable if the database is away: at once if that is
   * known, else within seconds. A statement that broke off may have been executed.
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

/** How long it may take to connect, or to get a free connection, in milliseconds. */
const connectMs = 2_000;
/** The first and the longest pause between attempts to reach a database that is away, in milliseconds. */
const pauses = { first: 50, longest: 5_000 };

/**
 * Opens a pool of connections; the first one is made when it is needed.
 *
 * After a failure, statements are refused without trying, until an attempt in the background succeeds. So requests never
 * wait for a database that is away.
 */
export function openDatabase({ url, warn, connections = 10, statementMs = 5_000 }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'catalog',
    // The server ends the statement; the client gives up a little later, in case the server cannot.
    ...(statementMs > 0 && { statement_timeout: statementMs, query_timeout: statementMs + 500 }),
  });
  // An idle connection broke. The pool has dropped it, and the next statement gets a new one.
  pool.on('error', () => {});
  let failure: DatabaseUnavailable | null = null;
  let recovery: Promise<void> = Promise.resolve();
  const closing = new AbortController();

  function away(error: unknown): DatabaseUnavailable {
    if (failure !== null) return failure;
    failure = new DatabaseUnavailable(error);
    if (!closing.signal.aborted) {
      warn(`The database is unavailable (${reasonOf(error)}). The server keeps trying to reach it.`);
      recovery = recover();
    }
    return failure;
  }

  async function recover(): Promise<void> {
    for (let pause = 0; !closing.signal.aborted; pause = Math.min(Math.max(2 * pause, pauses.first), pauses.longest)) {
      // Closing ends the pause.
      await sleep(pause, null, { signal: closing.signal, ref: false }).catch(() => {});
      if (closing.signal.aborted || !(await isWritable())) continue;
      failure = null;
      warn('The database is available again.');
      return;
    }
  }

  /** After a failover, the former primary may answer, but take no votes. */
  async function isWritable(): Promise<boolean> {
    const answer = await pool.query('SHOW transaction_read_only').catch(() => null);
    return answer?.rows[0]?.transaction_read_only === 'off';
  }

  return {
    async query<Row extends object>(text: string, values: readonly unknown[] = [], name?: string) {
      if (failure !== null) throw failure;
      try {
        const { rows } = await pool.query<Row>({ text, values: [...values], ...(name !== undefined && { name }) });
        return rows;
      } catch (error) {
        throw isAway(error) ? away(error) : error;
      }
    },
    failure: () => failure,
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
      // A connection that hangs must not keep the server from ending.
      await Promise.race([pool.end(), sleep(connectMs, null, { ref: false })]);
    },
  };
}

/** Whether another attempt may succeed: the connection failed, or the server is stopping, starting, full or read-only. */
function isAway(error: unknown): boolean {
  const { severity, code = '' } = error as { severity?: string; code?: string };
  // Only errors that the database reports have a severity.
  return severity === undefined || /^(?:08|53|57|58|25006|40001|40P01)/.test(code);
}

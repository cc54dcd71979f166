import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import pg from 'pg';
import { DatabaseUnavailable, isTemporary } from './database.ts';
import { reasonOf } from './disk.ts';

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

/** Connections to PostgreSQL, which other servers need too. */
type Pool = ReturnType<typeof openPool>;

/** How long it may take to connect, or to get a free connection, in milliseconds. */
const connectMs = 2_000;
/** How often a pool whose connections are all in use may add one, in milliseconds. */
const growMs = 250;
/** How long it adds none after it was refused one, or left one to other servers, in milliseconds. */
const pauseMs = 5_000;
/** How long a connection is used until it is left to other servers, in milliseconds. */
const lifetimeMs = 60_000;
/** How long connections have to be scarce until the log says so, and plentiful until it says that, in milliseconds. */
const scarcity = { lastingMs: 5_000, overMs: 60_000 };

/**
 * Opens a pool of connections; the first one is made when it is needed, and the others one by one.
 *
 * If PostgreSQL accepts no more, statements share the connections that exist. Servers that compete get about equally
 * many: each adds them slowly, and leaves one to the others from time to time.
 */
function openPool({ url, warn, connections = 10, statementMs = 5_000 }: DatabaseOptions) {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'catalog',
    // The server ends the statement; the client gives up a little later, in case the server cannot.
    ...(statementMs > 0 && { statement_timeout: statementMs, query_timeout: statementMs + 500 }),
  });
  /** When each connection was made. */
  const made = new Map<PoolClient, number>();
  const shrink = () => {
    pool.options.max = Math.max(1, made.size);
  };
  // A connection broke. If it was idle, the pool has dropped it; if not, the error of its statement says so.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    made.set(client, performance.now());
  });
  pool.on('remove', (client) => {
    made.delete(client);
    shrink();
  });
  let mayGrowAt = 0;
  let scarce: { since: number; last: number; isLogged: boolean } | null = null;

  const growing = setInterval(() => {
    const now = performance.now();
    if (pool.waitingCount > 0 && pool.options.max < connections && now >= mayGrowAt) pool.options.max += 1;
    if (scarce === null || now - scarce.last < scarcity.overMs) return;
    if (scarce.isLogged) warn('Statements no longer wait for a connection to the database.');
    scarce = null;
  }, growMs).unref();

  function goWithout(error: unknown, isLate: boolean): void {
    const now = performance.now();
    shrink();
    mayGrowAt = now + pauseMs;
    scarce ??= { since: now, last: now, isLogged: false };
    scarce.last = now;
    if (scarce.isLogged || (!isLate && now - scarce.since < scarcity.lastingMs)) return;
    scarce.isLogged = true;
    const share = `${made.size} of ${connections} (CATALOG_DATABASE_CONNECTIONS)`;
    warn(
      `Statements wait for a connection to the database. The server has ${share} and gets no other: ${reasonOf(error)}.`,
    );
  }

  return {
    /**
     * Returns a connection, for which it waits if PostgreSQL has no other or all are in use.
     *
     * Rejects with DatabaseUnavailable if none was free in time, and with the reason if there is none at all.
     */
    async connect(): Promise<PoolClient> {
      for (const deadline = performance.now() + connectMs; ; ) {
        try {
          return await pool.connect();
        } catch (error) {
          if (made.size === 0 || pool.ending || !isTemporary(error)) throw error;
          const isLate = performance.now() >= deadline;
          goWithout(error, isLate);
          if (isLate) throw new DatabaseUnavailable(error, true);
        }
      }
    },
    /** Takes a connection back, and closes it if `isBroken`. */
    release(client: PoolClient, isBroken: boolean): void {
      const now = performance.now();
      const isOld = now - (made.get(client) ?? now) > lifetimeMs;
      const isLeft = isOld && made.size > 1 && now >= mayGrowAt;
      if (isLeft) mayGrowAt = now + pauseMs;
      client.release(isBroken || isLeft);
    },
    /** Closes all connections. */
    async end(): Promise<void> {
      clearInterval(growing);
      await pool.end();
    },
  };
}

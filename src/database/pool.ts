import pg from 'pg';
import { reasonOf } from '../journal/disk.ts';
import type { DatabaseOptions } from './connections.ts';
import { DatabaseUnavailable, isTemporary } from './unavailable.ts';

/** Connections to PostgreSQL, which other servers need too. */
export interface Pool {
  /**
   * Returns a connection, for which it waits if PostgreSQL has no other or all are in use.
   *
   * Rejects with DatabaseUnavailable if none was free in time, and with the reason if there is none at all.
   */
  connect(): Promise<pg.PoolClient>;
  /** Takes a connection back, and closes it if `isBroken`. */
  release(client: pg.PoolClient, isBroken: boolean): void;
  /** Closes all connections. */
  end(): Promise<void>;
}

/** How long it may take to connect, or to get a free connection, in milliseconds. */
export const connectMs = 2_000;
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
export function openPool({ url, warn, connections = 10, statementMs = 5_000 }: DatabaseOptions): Pool {
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
  const made = new Map<pg.PoolClient, number>();
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
    async connect() {
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
    release(client, isBroken) {
      const now = performance.now();
      const isOld = now - (made.get(client) ?? now) > lifetimeMs;
      const isLeft = isOld && made.size > 1 && now >= mayGrowAt;
      if (isLeft) mayGrowAt = now + pauseMs;
      client.release(isBroken || isLeft);
    },
    async end() {
      clearInterval(growing);
      await pool.end();
    },
  };
}

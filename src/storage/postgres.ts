import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type PoolClient } from 'pg';
import { OperationError, reasonOf } from '../lib/errors.ts';
import { compareText } from '../lib/text.ts';
import { programFolder } from '../program.ts';
import { type Availability, DatabaseUnavailable } from './database.ts';
import { undo } from './disk.ts';

/** A PostgreSQL database, over a pool of connections that are replaced when they break. */
export interface Database extends Availability {
  /**
   * Runs one statement and returns its rows. Rejects with DatabaseUnavailable if the database is away, at once if that is
   * known, else within seconds; and if no connection was free for two seconds. A statement that broke off may have been
   * executed.
   */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Ends all connections. */
  close(): Promise<void>;
}

interface DatabaseOptions {
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
    async query<Row extends object>(text: string, values: readonly unknown[] = []) {
      const client = await connect();
      try {
        // Without a name: a pooler may run the next statement on a connection that has no prepared statement of that name.
        const { rows } = await client.query<Row>(text, [...values]);
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

/** Whether another attempt may succeed: the connection failed, or the server is stopping, starting, full or read-only. */
function isTemporary(error: unknown): boolean {
  const { severity, code = '' } = error as { severity?: string; code?: string };
  // Only errors that the database reports have a severity.
  return severity === undefined || /^(?:08|53|57|58|25006|40001|40P01)/.test(code);
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

/** The privileges of the server's role for each table. It can neither change nor delete a vote. */
const grants: Record<string, string> = {
  catalog_migrations: 'SELECT',
  catalog_votes: 'SELECT, INSERT',
  catalog_voter_secrets: 'SELECT, INSERT, DELETE',
  catalog_vote_days: 'SELECT, INSERT, DELETE',
  catalog_limits: 'SELECT, INSERT, UPDATE, DELETE',
  catalog_subscriptions: 'SELECT, INSERT, UPDATE',
  catalog_suppressions: 'SELECT, INSERT, UPDATE',
  catalog_announcements: 'SELECT, INSERT',
  catalog_announcement_claims: 'SELECT, INSERT, UPDATE, DELETE',
};

/** Concurrent runs may collide, since some databases do not lock tables that a transaction creates. */
const attempts = 10;
const collisions = ['23505', '40001', '40P01', '42710', '42P07', 'XX000'];

/** The migrations of this program, in order, by their number and the name of their file, such as 001-votes.sql. */
function migrations() {
  const folder = join(programFolder, 'migrations');
  return readdirSync(folder)
    .filter((name) => /^\d{3}-[\w-]+\.sql$/.test(name))
    .sort(compareText)
    .map((name) => ({ number: Number(name.slice(0, 3)), name, sql: readFileSync(join(folder, name), 'utf8') }));
}

/**
 * Brings the tables of a database up to date and returns the names of the migrations that this call applied.
 *
 * Each migration is a transaction that first claims its number, so of several calls at once, one applies it and the
 * others wait. The lock of that row is the only one: not all compatible databases have others.
 */
export async function migrate(url: string): Promise<string[]> {
  const applied: string[] = [];
  await withClient(url, async (client) => {
    await client.query(
      'CREATE TABLE IF NOT EXISTS catalog_migrations (number integer PRIMARY KEY, name text NOT NULL, time timestamptz NOT NULL DEFAULT now())',
    );
    const claim = 'INSERT INTO catalog_migrations (number, name) VALUES ($1, $2) ON CONFLICT (number) DO NOTHING';
    for (const { number, name, sql } of migrations()) {
      await client.query('BEGIN');
      const { rowCount } = await client.query(claim, [number, name]);
      if (rowCount === 1) await client.query(sql);
      await client.query('COMMIT');
      if (rowCount === 1) applied.push(name);
    }
  });
  return applied;
}

/**
 * Gives a role the rights that the server needs, and no others. One transaction, so servers of this role that are running
 * never lack a right.
 */
export async function grantServer(url: string, role: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('BEGIN');
    // Runs wait for each other here: PostgreSQL refuses concurrent changes of the rights on a table.
    await client.query('SELECT number FROM catalog_migrations WHERE number = 1 FOR UPDATE');
    for (const [table, rights] of Object.entries(grants)) {
      const name = client.escapeIdentifier(role);
      await client.query(`REVOKE ALL ON ${table} FROM ${name}`);
      await client.query(`GRANT ${rights} ON ${table} TO ${name}`);
    }
    await client.query('COMMIT');
  });
}

/**
 * Checks that all migrations were applied. Throws OperationError if not, or if the database refuses this program.
 * An unavailable database is not an error: it may become available.
 */
async function requireTables(database: Database): Promise<void> {
  const available = migrations();
  try {
    const rows = await database.query<{ number: number }>('SELECT number FROM catalog_migrations');
    const missing = available.filter(({ number }) => !rows.some((row) => row.number === number));
    if (missing.length === 0) return;
    throw new OperationError(`The database lacks ${missing.map(({ name }) => name).join(', ')}. ${advice}`);
  } catch (error) {
    if (error instanceof OperationError) throw error;
    if (!(error instanceof DatabaseUnavailable)) throw explained(error);
  }
}

const advice = 'Run npx --no daily-agent-catalog db migrate first.';

/** What to do about errors of the database, by their codes: a table does not exist, and a right is missing. */
const hints: Record<string, string> = {
  '42P01': advice,
  '42501': 'Use the role that owns the tables. It gives rights with npx --no daily-agent-catalog db migrate --grant.',
};

/**
 * Runs `work` with one connection, and again if it collides with a concurrent run, so it has to be repeatable. Throws
 * OperationError for anything that the database reports.
 */
async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, application_name: 'catalog' });
  // A broken connection also fails the statement in progress.
  client.on('error', () => {});
  try {
    await client.connect();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work(client);
      } catch (error) {
        const isCollision = collisions.includes((error as { code?: string }).code ?? '');
        if (attempt === attempts || !isCollision) throw error;
        await client.query('ROLLBACK');
      }
    }
  } catch (error) {
    throw explained(error);
  } finally {
    await client.end();
  }
}

/** An error of the database as a sentence. `cause` has the rest, such as the statement. */
function explained(error: unknown): OperationError {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error;
  const { message, code = '' } = cause as Error & { code?: string };
  const reason = message.includes(code) ? message : `${message || 'no connection'} (${code})`;
  const hint = hints[code] ?? (/^E[A-Z]/.test(code) ? 'Check DATABASE_URL, and whether the database runs.' : '');
  return new OperationError(`The database failed: ${reason}. ${hint}`.trim(), { cause });
}

/**
 * Opens a database for a server. It may be away; the server then answers everything that needs no database.
 *
 * Throws OperationError if the database refuses the server, or lacks tables.
 */
export async function openServerDatabase(options: DatabaseOptions): Promise<Database> {
  const database = openDatabase(options);
  await requireTables(database).catch(undo(() => database.close()));
  return database;
}

/**
 * Runs `work` with a database, for a command. Throws OperationError with the reason if the database fails or lacks tables.
 */
export async function withDatabase<Result>(
  url: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  // A command may read everything, which takes as long as it takes.
  const database = openDatabase({ url, warn: () => {}, connections: 1, statementMs: 0 });
  try {
    await requireTables(database);
    return await work(database);
  } catch (error) {
    const isReported = (error as { severity?: string }).severity !== undefined;
    throw isReported || error instanceof DatabaseUnavailable ? explained(error) : error;
  } finally {
    await database.close();
  }
}

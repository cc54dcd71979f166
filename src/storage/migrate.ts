import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { OperationError } from '../lib/errors.ts';
import { compareText } from '../lib/text.ts';
import { programFolder } from '../program.ts';
import { DatabaseUnavailable } from './database.ts';
import { type Database, type DatabaseOptions, openDatabase } from './postgres.ts';

/** What the role of the server may do with each table. It can neither change nor delete a vote. */
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
    for (const migration of migrations()) if (await apply(client, migration)) applied.push(migration.name);
  });
  return applied;
}

async function apply(
  client: pg.Client,
  { number, name, sql }: ReturnType<typeof migrations>[number],
): Promise<boolean> {
  await client.query('BEGIN');
  const claim = 'INSERT INTO catalog_migrations (number, name) VALUES ($1, $2) ON CONFLICT (number) DO NOTHING';
  const { rowCount } = await client.query(claim, [number, name]);
  if (rowCount === 1) await client.query(sql);
  await client.query('COMMIT');
  return rowCount === 1;
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
  const known = migrations();
  try {
    const rows = await database.query<{ number: number }>('SELECT number FROM catalog_migrations');
    const missing = known.filter(({ number }) => !rows.some((row) => row.number === number));
    if (missing.length === 0) return;
    throw new OperationError(`The database lacks ${missing.map(({ name }) => name).join(', ')}. ${advice}`);
  } catch (error) {
    if (error instanceof OperationError) throw error;
    if (!(error instanceof DatabaseUnavailable)) throw explained(error);
  }
}

const advice = 'Run catalog db migrate first.';

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
        await work(client);
        return;
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
  const { message, code } = cause as Error & { code?: string };
  const reason = code === undefined || message === '' ? (code ?? message) : `${message} (${code})`;
  return new OperationError(`The database failed: ${reason}.${code === '42P01' ? ` ${advice}` : ''}`, { cause });
}

/**
 * Opens a database for a server. It may be away; the server then answers everything that needs no database.
 *
 * Throws OperationError if the database refuses the server, or lacks tables.
 */
export async function openServerDatabase(options: DatabaseOptions): Promise<Database> {
  const database = openDatabase(options);
  try {
    await requireTables(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
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

import { UsageError } from '../lib/errors.ts';

/**
 * The connection URI in DATABASE_URL; null if there is none, so that everything is stored in files.
 *
 * Throws UsageError, without repeating the URI: it may contain a password.
 */
export function databaseUrl({ DATABASE_URL }: NodeJS.ProcessEnv): string | null {
  const url = DATABASE_URL?.trim() ?? '';
  if (url === '') return null;
  if (URL.canParse(url) && /^postgres(?:ql)?:$/.test(new URL(url).protocol)) return url;
  throw new UsageError('DATABASE_URL has to be a connection URI such as postgres://user:password@host:5432/database.');
}

/** The database cannot be reached, cannot work, or has no connection to spare at the moment; `cause` says why. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  /** Whether the log has the reason. */
  isLogged: boolean;

  constructor(cause: unknown, isLogged = false) {
    super('The database is not available.', { cause });
    this.isLogged = isLogged;
  }
}

/** How often work is tried, and how long it may wait for the database to come back, in milliseconds. */
const attempts = 3;
const patienceMs = 1_000;

/** Whether a database works: null, or the error for those that do not wait until it does. */
export interface Availability {
  /** Why statements are refused at the moment; null if they are not. */
  failure(): DatabaseUnavailable | null;
  /** Resolves as soon as the database is available, with whether it is after `ms` milliseconds at most. */
  available(ms: number): Promise<boolean>;
}

/**
 * Runs work that does no harm if it is repeated, and repeats it if the database fails meanwhile and is soon back. Rejects
 * at once if the database is known to be unavailable.
 */
export async function retrying<Result>(database: Availability, work: () => Promise<Result>): Promise<Result> {
  const failure = database.failure();
  if (failure !== null) throw failure;
  const deadline = performance.now() + patienceMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const rest = deadline - performance.now();
      if (attempt === attempts || rest < 0 || !(error instanceof DatabaseUnavailable)) throw error;
      if (!(await database.available(rest))) throw error;
    }
  }
}

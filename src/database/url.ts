import { UsageError } from '../errors.ts';

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

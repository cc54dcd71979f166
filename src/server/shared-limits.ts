import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Database } from '../database/connections.ts';
import { sharedSecret } from '../votes/database-secret.ts';
import { utcDay } from '../votes/stamp.ts';
import { pseudonym } from '../votes/voter.ts';
import type { Counter, Rate } from './limits.ts';

/** What limits do while the database is away: each server counts alone, or requests are refused. */
export type LimitFailure = 'open' | 'closed';

/** Counts that all servers share. */
export interface SharedLimits {
  onFailure: LimitFailure;
  counter(name: string, rate: NonNullable<Rate>): Counter;
  /** Logs that the database failed, once until it has worked again for a second. */
  failed(error: unknown): void;
  worked(): void;
}

/** How long no count may fail until limits count as shared again, in milliseconds. */
const calmMs = 1_000;

/** Keeps the counts of limits in a database. Clients are stored as pseudonyms, which change every UTC day. */
export function sharedLimits(database: Database, onFailure: LimitFailure, log: Logger): SharedLimits {
  const secretOf = sharedSecret(database, randomBytes);
  const storeClient = {
    async query({ text, values, name }: { text: string; values: unknown[]; name: string }) {
      const rows = await database.query(text, values, name);
      return { rows, rowCount: rows.length };
    },
  };
  let failedAt: number | null = null;
  return {
    onFailure,
    counter(name, { count, seconds }) {
      const limiter = new RateLimiterPostgres({
        storeClient,
        storeType: 'client',
        tableName: 'catalog_limits',
        tableCreated: true,
        keyPrefix: name,
        points: count,
        duration: seconds,
        // A client over its limit costs the database nothing more.
        inMemoryBlockOnConsumed: count,
      });
      return {
        async consume(client, taken) {
          const secret = await secretOf(utcDay(new Date()));
          return limiter.consume(pseudonym(secret, `${name} ${client}`), taken);
        },
      };
    },
    failed(error) {
      const isNew = failedAt === null;
      failedAt = performance.now();
      if (!isNew) return;
      const effect = onFailure === 'open' ? 'each server counts alone' : 'requests are refused';
      log.error({ err: error }, `limits cannot be shared at the moment: ${effect}`);
    },
    worked() {
      // While a database is busy, some requests are counted and others not.
      if (failedAt === null || performance.now() - failedAt < calmMs) return;
      failedAt = null;
      log.info('limits are shared again');
    },
  };
}

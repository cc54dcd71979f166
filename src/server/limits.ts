import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Logger } from 'pino';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { sharedSecret } from '../storage/database-votes.ts';
import type { Database } from '../storage/postgres.ts';
import { networkOf, pseudonym, utcDay } from '../storage/vote.ts';
import { Refusal } from './http.ts';
import type { Rate, ServerSettings } from './settings.ts';

/** Returns counts that all servers share, which `memory` does or nothing counts while the database is away. */
export type SharedLimits = (name: string, rate: NonNullable<Rate>, memory: Counter) => Counter;

/** How long no count may fail until limits count as shared again, in milliseconds. */
const calmMs = 1_000;

/** Keeps the counts of limits in a database. Clients are stored as pseudonyms, which change every UTC day. */
export function sharedLimits(database: Database, onFailure: ServerSettings['limitFailure'], log: Logger): SharedLimits {
  const secretOf = sharedSecret(database, randomBytes);
  const storeClient = {
    async query({ text, values }: { text: string; values: unknown[] }) {
      const rows = await database.query(text, values);
      return { rows, rowCount: rows.length };
    },
  };
  let failedAt: number | null = null;

  /** Logs that the database failed, once until it has worked again for a second. */
  function failed(error: unknown): void {
    const isNew = failedAt === null;
    failedAt = performance.now();
    if (!isNew) return;
    const effect = onFailure === 'open' ? 'each server counts alone' : 'requests are refused';
    log.error({ err: error }, `limits cannot be shared at the moment: ${effect}`);
  }

  function worked(): void {
    // While a database is busy, some requests are counted and others not.
    if (failedAt === null || performance.now() - failedAt < calmMs) return;
    failedAt = null;
    log.info('limits are shared again');
  }

  return (name, { count, seconds }, memory) => {
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
        try {
          const secret = await secretOf(utcDay(new Date()));
          const outcome = await limiter.consume(pseudonym(secret, `${name} ${client}`), taken);
          worked();
          return outcome;
        } catch (error) {
          if (error instanceof RateLimiterRes) throw error;
          failed(error);
          if (onFailure === 'open') return memory.consume(client, taken);
          const message = `Requests cannot be counted at the moment. Try again in ${waitForDatabase} seconds.`;
          throw new Refusal('rate_limited', message, { 'retry-after': String(waitForDatabase) });
        }
      },
    };
  };
}

/** A limit on the requests of one client. */
export interface Limit {
  /**
   * Counts `count` requests of a client (default 1), identified by its network (C8.24).
   *
   * Returns the RateLimit headers for the answer (draft-ietf-httpapi-ratelimit-headers-10). Throws Refusal `rate_limited`
   * with Retry-After if the limit is exceeded.
   */
  take(address: string, count?: number): Promise<Record<string, string>>;
}

/** Counts the requests of clients. Rejects with the RateLimiterRes of a client that is over the limit. */
interface Counter {
  consume(client: string, count: number): Promise<RateLimiterRes>;
}

/** How long a client should wait if requests cannot be counted, in seconds. */
const waitForDatabase = 30;

/** Creates a limit that is called `name` in the headers. Its counts are in the memory of this process, unless they are shared. */
export function rateLimit(name: string, rate: Rate, shared?: SharedLimits): Limit {
  if (rate === null) return { take: async () => ({}) };
  const { count, seconds } = rate;
  const memory: Counter = new RateLimiterMemory({ points: count, duration: seconds });
  const counter = shared?.(name, rate, memory) ?? memory;
  const policy = `"${name}";q=${count};w=${seconds}`;
  // The limiter uses the wall clock, which may be set back; its windows end by a timer regardless.
  const secondsLeft = ({ msBeforeNext }: RateLimiterRes) =>
    Math.min(Math.max(0, Math.ceil(msBeforeNext / 1000)), seconds);
  const headersFor = (outcome: RateLimiterRes) => ({
    'ratelimit-policy': policy,
    ratelimit: `"${name}";r=${Math.max(0, outcome.remainingPoints)};t=${secondsLeft(outcome)}`,
  });
  return {
    async take(address, taken = 1) {
      try {
        return headersFor(await counter.consume(networkOf(address), taken));
      } catch (outcome) {
        if (!(outcome instanceof RateLimiterRes)) throw outcome;
        const wait = Math.max(1, secondsLeft(outcome));
        const message = `Too many requests: at most ${count} in ${seconds} seconds. Try again in ${wait} seconds.`;
        throw new Refusal('rate_limited', message, { ...headersFor(outcome), 'retry-after': String(wait) });
      }
    },
  };
}

/**
 * The address of the client, behind `hops` trusted proxies (C8.24).
 *
 * Each trusted proxy appends one entry to X-Forwarded-For. Earlier entries are client-supplied, so they are ignored. If
 * the entry is not an address, the address of the connection counts.
 */
export function clientAddress(request: IncomingMessage, hops: number): string {
  const direct = request.socket.remoteAddress ?? 'unknown';
  if (hops === 0) return direct;
  const forwarded = String(request.headers['x-forwarded-for'] ?? '');
  const chain = [...forwarded.split(',').map(plainAddress), direct].filter((entry) => entry !== '');
  const entry = chain[Math.max(0, chain.length - 1 - hops)] ?? direct;
  return isIP(entry) === 0 ? direct : entry;
}

/** An entry of X-Forwarded-For without the brackets and the port that some proxies add. */
function plainAddress(entry: string): string {
  const text = entry.trim();
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
}

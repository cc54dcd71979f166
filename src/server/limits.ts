import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { networkOf } from '../votes/voter.ts';
import { Refusal } from './errors.ts';
import type { SharedLimits } from './shared-limits.ts';

/** At most `count` requests in `seconds`; null means no limit. */
export type Rate = { count: number; seconds: number } | null;

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
export interface Counter {
  consume(client: string, count: number): Promise<RateLimiterRes>;
}

/** How long a client should wait if requests cannot be counted, in seconds. */
const waitForDatabase = 30;

/** Creates a limit that is called `name` in the headers. Its counts are in the memory of this process, unless they are shared. */
export function rateLimit(name: string, rate: Rate, shared?: SharedLimits): Limit {
  if (rate === null) return { take: async () => ({}) };
  const { count, seconds } = rate;
  const memory: Counter = new RateLimiterMemory({ points: count, duration: seconds });
  const counter = shared === undefined ? memory : shareable(memory, shared.counter(name, rate), shared);
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
        throw new Refusal(
          'rate_limited',
          `Too many requests: at most ${count} in ${seconds} seconds. Try again in ${wait} seconds.`,
          {
            ...headersFor(outcome),
            'retry-after': String(wait),
          },
        );
      }
    },
  };
}

/** Counts with `counter`, and while that fails, with `memory` or not at all. */
function shareable(memory: Counter, counter: Counter, shared: SharedLimits): Counter {
  return {
    async consume(client, taken) {
      try {
        const outcome = await counter.consume(client, taken);
        shared.worked();
        return outcome;
      } catch (error) {
        if (error instanceof RateLimiterRes) throw error;
        shared.failed(error);
        if (shared.onFailure === 'open') return memory.consume(client, taken);
        const message = `Requests cannot be counted at the moment. Try again in ${waitForDatabase} seconds.`;
        throw new Refusal('rate_limited', message, { 'retry-after': String(waitForDatabase) });
      }
    },
  };
}

import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { networkOf } from '../votes/voter.ts';
import { Refusal } from './errors.ts';

/** So many requests in so many seconds; null: no limit. */
export type Rate = { count: number; seconds: number } | null;

/** A limit on what one client may do. */
export interface Limit {
  /**
   * Counts `count` requests of a client (default 1), by its address (IPv6: by its /64).
   *
   * The result are the headers that tell the client where it stands (RateLimit header fields for HTTP,
   * draft-ietf-httpapi-ratelimit-headers-10). Throws Refusal `rate_limited` with Retry-After over the limit.
   */
  take(address: string, count?: number): Promise<Record<string, string>>;
}

/** A limit called `name` in the headers. Kept in this process. */
export function rateLimit(name: string, rate: Rate): Limit {
  if (rate === null) return { take: async () => ({}) };
  const { count, seconds } = rate;
  const limiter = new RateLimiterMemory({ points: count, duration: seconds });
  const policy = `"${name}";q=${count};w=${seconds}`;
  // The limiter reckons by the wall clock, which may have been set back, though its windows end by a timer.
  const secondsLeft = ({ msBeforeNext }: RateLimiterRes) =>
    Math.min(Math.max(0, Math.ceil(msBeforeNext / 1000)), seconds);
  const headersFor = (outcome: RateLimiterRes) => ({
    'ratelimit-policy': policy,
    ratelimit: `"${name}";r=${Math.max(0, outcome.remainingPoints)};t=${secondsLeft(outcome)}`,
  });
  return {
    async take(address, taken = 1) {
      try {
        return headersFor(await limiter.consume(networkOf(address), taken));
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

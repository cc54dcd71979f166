import { retryAfterMs } from '../retry-after.ts';

/** The longest pause before a retry, in milliseconds. It has to fit into the time limit of a subscription. */
const longestPauseMs = 2000;

/** The pause if the provider names none, in milliseconds. A random part of up to the same length is added. */
const usualPauseMs = 100;

/** The outcome of a call: an answer, or none. */
export interface Attempt {
  status: number | undefined;
  /** The header Retry-After. */
  retryAfter: string | null;
}

/**
 * How long to wait before a retry, in milliseconds; undefined if a call is not retried. Network errors, 502, 503 and 504
 * are retried, and 429 only with a Retry-After; none is if its Retry-After is long.
 */
export function pauseBeforeRetry({ status, retryAfter }: Attempt, now: number, random: number): number | undefined {
  if (status !== undefined && ![429, 502, 503, 504].includes(status)) return undefined;
  if (retryAfter === null) return status === 429 ? undefined : usualPauseMs * (1 + random);
  const asked = retryAfterMs(retryAfter, now);
  return asked !== undefined && asked <= longestPauseMs ? asked : undefined;
}

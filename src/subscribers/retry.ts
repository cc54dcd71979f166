/** The longest pause before a retry that is still short beside the time limit of a sign-up, in milliseconds. */
const longestPauseMs = 2000;

/** The pause where the provider names none, in milliseconds; up to as much again is added at random. */
const usualPauseMs = 100;

/** What a call came to: an answer, or none at all. */
export interface Attempt {
  status: number | undefined;
  /** The header Retry-After. */
  retryAfter: string | null;
}

/**
 * How long to wait, in milliseconds, before an attempt is worth repeating; undefined where it is not. Repeated are
 * network errors, 502, 503 and 504, and 429 only with a Retry-After; and none whose Retry-After is long.
 */
export function pauseBeforeRetry({ status, retryAfter }: Attempt, now: number, random: number): number | undefined {
  if (status !== undefined && ![429, 502, 503, 504].includes(status)) return undefined;
  if (retryAfter === null) return status === 429 ? undefined : usualPauseMs * (1 + random);
  const asked = retryAfterMs(retryAfter, now);
  return asked !== undefined && asked <= longestPauseMs ? asked : undefined;
}

/** Retry-After in milliseconds: seconds or a date (RFC 9110, part 10.2.3); undefined where it is neither. */
function retryAfterMs(value: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return /[A-Za-z]{3}/.test(value) && !Number.isNaN(at) ? Math.max(0, at - now) : undefined;
}

/** Returns Retry-After in milliseconds, given as seconds or a date (RFC 9110, section 10.2.3); undefined if it is neither. */
export function retryAfterMs(value: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return /[A-Za-z]{3}/.test(value) && !Number.isNaN(at) ? Math.max(0, at - now) : undefined;
}

/** Days are text as YYYY-MM-DD, which sorts as it should. */

const dayMs = 86_400_000;

/** Whether `text` is a day that the calendar has, as YYYY-MM-DD. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && dayOf(Date.parse(`${text}T00:00:00Z`)) === text;
}

/** The day that it is in `timezone` (an IANA name) at the instant `now`. */
export function today(timezone: string, now: Date): string {
  return dayOf(now.getTime() + offsetMs(timezone, now.getTime()));
}

/** The day `days` after `day`; before it, when negative. */
export function addDays(day: string, days: number): string {
  return dayOf(Date.parse(`${day}T00:00:00Z`) + days * dayMs) as string;
}

/** The first instant of `day` in `timezone`: its midnight, or where a clock change skips that, the first moment after. */
export function startOfDay(day: string, timezone: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const guess = midnight - offsetMs(timezone, midnight);
  return new Date(midnight - offsetMs(timezone, guess));
}

function dayOf(instant: number): string {
  return Number.isNaN(instant) ? '' : new Date(instant).toISOString().slice(0, 10);
}

/** How far the clocks of `timezone` are ahead of UTC at an instant, in milliseconds. */
function offsetMs(timezone: string, instant: number): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  return local - Math.floor(instant / 1000) * 1000;
}

import { onceForEach } from './lazy.ts';

/** Days are texts in the form YYYY-MM-DD, so that sorting the texts sorts the days. */

const dayMs = 86_400_000;

/** Whether `text` is a day that exists, in the form YYYY-MM-DD. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && dayOf(Date.parse(`${text}T00:00:00Z`)) === text;
}

/** The parts of instants in a time zone. Making this is slow; using it is fast. */
const formatIn = onceForEach((timeZone: string) => {
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...parts, second: 'numeric' });
});

/** Returns the calendar of `timezone`, an IANA name such as UTC or Europe/Berlin. */
export function zone(timezone: string) {
  const format = formatIn(timezone);

  /** How far the clocks in this time zone are ahead of UTC at an instant, in milliseconds. Days in a row share instants. */
  const offsetMs = onceForEach((instant: number): number => {
    // Date.UTC takes years below 100 for those after 1900. No clock was changed before 1800.
    const at = Math.max(instant, Date.UTC(1000, 0));
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
  });

  const dayAt = (instant: number) => dayOf(instant + offsetMs(instant));

  return {
    /** The day at the instant `now` in this time zone. */
    today: (now: Date) => dayAt(now.getTime()),
    /** The hour at the instant `now` in this time zone, from 0 to 23. */
    hour: (now: Date) => new Date(now.getTime() + offsetMs(now.getTime())).getUTCHours(),
    /**
     * The first instant of `day` in this time zone. This is midnight or, if a clock change skips midnight or the whole
     * day, the instant of that change.
     */
    startOfDay(day: string): Date {
      const midnightInUtc = Date.parse(`${day}T00:00:00Z`);
      let before = midnightInUtc - dayMs;
      let start = midnightInUtc + dayMs;
      const offset = offsetMs(before);
      if (offset === offsetMs(start)) return new Date(midnightInUtc - offset);
      // The clocks change near this midnight. Clock changes happen at whole seconds, so bisection finds the start of
      // the day.
      while (start - before > 1000) {
        const middle = Math.floor((before + start) / 2000) * 1000;
        if (dayAt(middle) < day) before = middle;
        else start = middle;
      }
      return new Date(start);
    },
  };
}

/** The day `days` after `day`, or before it if `days` is negative. */
export function addDays(day: string, days: number): string {
  return dayOf(Date.parse(`${day}T00:00:00Z`) + days * dayMs);
}

function dayOf(instant: number): string {
  return Number.isNaN(instant) ? '' : new Date(instant).toISOString().slice(0, 10);
}

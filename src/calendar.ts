/** Days are text as YYYY-MM-DD, which sorts as it should. */

const dayMs = 86_400_000;

/** Whether `text` is a day that the calendar has, as YYYY-MM-DD. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && dayOf(Date.parse(`${text}T00:00:00Z`)) === text;
}

/** The calendar of a time zone. */
export interface Zone {
  /** The day that it is there at the instant `now`. */
  today(now: Date): string;
  /** The first instant of `day` there: midnight, or the clock change that skips midnight, or even the whole day. */
  startOfDay(day: string): Date;
}

/** The calendar of `timezone`, an IANA name such as UTC or Europe/Berlin. Making one is slow, using it is not. */
export function zone(timezone: string): Zone {
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

  /** How far the clocks there are ahead of UTC at an instant, in milliseconds. */
  function offsetMs(instant: number): number {
    const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
  }

  const dayAt = (instant: number) => dayOf(instant + offsetMs(instant));

  return {
    today: (now) => dayAt(now.getTime()),
    startOfDay(day) {
      const midnightInUtc = Date.parse(`${day}T00:00:00Z`);
      let before = midnightInUtc - dayMs;
      let start = midnightInUtc + dayMs;
      const offset = offsetMs(before);
      if (offset === offsetMs(start)) return new Date(midnightInUtc - offset);
      // The clocks change about then, perhaps at midnight: find the instant, which is a whole second, by bisection.
      while (start - before > 1000) {
        const middle = Math.floor((before + start) / 2000) * 1000;
        if (dayAt(middle) < day) before = middle;
        else start = middle;
      }
      return new Date(start);
    },
  };
}

/** The day `days` after `day`; before it, when negative. */
export function addDays(day: string, days: number): string {
  return dayOf(Date.parse(`${day}T00:00:00Z`) + days * dayMs);
}

function dayOf(instant: number): string {
  return Number.isNaN(instant) ? '' : new Date(instant).toISOString().slice(0, 10);
}

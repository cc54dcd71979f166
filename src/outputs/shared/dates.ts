import { onceForEach } from '../../once.ts';

export type DateNames = ReturnType<typeof dateNames>;

/** Makes functions that write out days (YYYY-MM-DD) and months (YYYY-MM) in a language (BCP 47). */
export function dateNames(language: string) {
  const weekdays = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  const dates = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  const months = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const instant = (day: string) => new Date(`${day}T00:00:00Z`);
  return {
    weekday: onceForEach((day: string) => weekdays.format(instant(day))),
    longDate: onceForEach((day: string) => dates.format(instant(day))),
    dayOfMonth: (day: string) => String(Number(day.slice(8))),
    monthName: onceForEach((month: string) => months.format(instant(`${month}-01`))),
  };
}

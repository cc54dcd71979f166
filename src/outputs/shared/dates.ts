/** Writes out days (YYYY-MM-DD) and months (YYYY-MM). */
export interface DateNames {
  weekday(day: string): string;
  longDate(day: string): string;
  dayOfMonth(day: string): string;
  monthName(month: string): string;
}

/** Writes dates in a language (BCP 47). */
export function dateNames(language: string): DateNames {
  const weekdays = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  const dates = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  const months = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const instant = (day: string) => new Date(`${day}T00:00:00Z`);
  return {
    weekday: (day) => weekdays.format(instant(day)),
    longDate: (day) => dates.format(instant(day)),
    dayOfMonth: (day) => String(Number(day.slice(8))),
    monthName: (month) => months.format(instant(`${month}-01`)),
  };
}

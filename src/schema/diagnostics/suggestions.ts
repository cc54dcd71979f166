import { closest, distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { dateRule, languageRule, slugRule, timeZoneRule, webUrlRule } from '../fields.ts';
import { slugFrom } from '../slugs.ts';

/** Returns the name in `known` that `word` is most likely a misspelling of, in any case, or undefined. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const lower = word.toLowerCase();
  const best = closest(
    lower,
    known.map((name) => name.toLowerCase()),
  );
  // Two swapped letters are one mistake, but count as two changes.
  const sorted = (text: string) => [...text].sort().join('');
  const near = distance(lower, best) <= Math.max(1, Math.floor(word.length / 3)) || sorted(lower) === sorted(best);
  if (!near) return undefined;
  return known.find((name) => name.toLowerCase() === best);
}

/**
 * Returns the time zone that `text` most likely means: a misspelling of its name, or only the last part of its name.
 */
function nearestTimeZone(text: string): string | undefined {
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];
  const cities = zones.map((zone) => zone.slice(zone.lastIndexOf('/') + 1));
  const city = nearest(text, cities);
  return nearest(text, zones) ?? (city === undefined ? undefined : zones[cities.indexOf(city)]);
}

/** Returns what an editor most likely meant with an invalid value, or undefined. */
export function meant(issue: z.core.$ZodIssue, found: unknown): string | undefined {
  const text = typeof found === 'number' ? String(found) : typeof found === 'string' ? found.trim() : undefined;
  if (text === undefined || text === '') return undefined;
  if (issue.code === 'invalid_value') return nearest(text, issue.values.map(String));
  if (issue.code === 'invalid_type' && issue.expected === 'boolean') return booleans[text.toLowerCase()];
  if (issue.code === 'invalid_type' && issue.expected !== 'string') return secondsOf(text);
  return byRule[issue.message]?.(text);
}

/** Suggests a value for each rule of fields.ts. */
const byRule: Record<string, (text: string) => string | undefined> = {
  [dateRule]: dateOf,
  [slugRule]: (text) => slugFrom(text) || undefined,
  [timeZoneRule]: nearestTimeZone,
  [languageRule]: codeOfLanguage,
  [webUrlRule]: (text) => (/^[\w-]+(?:\.[\w-]+)+(?:[:/?#]\S*)?$/.test(text) ? `https://${text}` : undefined),
};

/** Returns the code of a language by its English name: "German" → de. */
function codeOfLanguage(name: string): string | undefined {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .find((code) => names.of(code)?.toLowerCase() === name.toLowerCase());
}

const booleans: Record<string, string> = { yes: 'true', on: 'true', y: 'true', no: 'false', off: 'false', n: 'false' };

/** Parses seconds written as 0:12 or 12s. */
function secondsOf(text: string): string | undefined {
  const [, minutes, seconds] = /^(\d{1,3}):([0-5]\d)$/.exec(text) ?? [];
  if (minutes !== undefined) return String(Number(minutes) * 60 + Number(seconds));
  return /^(\d+) *(?:s|sec|secs|seconds?)\.?$/i.exec(text)?.[1];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Converts a date in another form to YYYY-MM-DD. Ambiguous dates such as 3/4/2026 are read in the American order. */
function dateOf(text: string): string | undefined {
  const forms: [RegExp, (a: string, b: string, c: string) => [string, string, string]][] = [
    [/^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?$/, (year, month, day) => [year, month, day]],
    [/^(\d{4})(\d\d)(\d\d)$/, (year, month, day) => [year, month, day]],
    [/^(\d{1,2})[.-](\d{1,2})[.-](\d{4})$/, (day, month, year) => [year, month, day]],
    [/^(\d{1,2})\/(\d{1,2})\/(\d{4})$/, (a, b, year) => (Number(a) > 12 ? [year, b, a] : [year, a, b])],
    [/^([a-z]{3})[a-z]*\.? (\d{1,2}),? (\d{4})$/i, (month, day, year) => [year, monthOf(month), day]],
    [/^(\d{1,2})\.? ([a-z]{3})[a-z]*\.?,? (\d{4})$/i, (day, month, year) => [year, monthOf(month), day]],
  ];
  for (const [form, order] of forms) {
    const [, a, b, c] = form.exec(text) ?? [];
    if (a === undefined || b === undefined || c === undefined) continue;
    const [year, month, day] = order(a, b, c);
    const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    if (date !== text && lengthOfMonth(year, month) >= Number(day) && Number(day) > 0) return date;
  }
  return undefined;
}

function monthOf(name: string): string {
  return String(months.indexOf(name.toLowerCase()) + 1);
}

/** Returns the number of days in a month; 0 if there is no such month. */
function lengthOfMonth(year: string, month: string): number {
  if (Number(month) < 1 || Number(month) > 12) return 0;
  return new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

/** Says in a sentence why a date in the right form does not exist; undefined for other forms. */
export function whyNoDay(text: string): string | undefined {
  const [, year = '', month = ''] = /^(\d{4})-(\d\d)-\d\d$/.exec(text) ?? [];
  if (year === '') return undefined;
  const days = lengthOfMonth(year, month);
  if (days === 0) return 'A year has 12 months.';
  const name = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' }).format(
    new Date(Date.UTC(2000, Number(month) - 1)),
  );
  return `${name} ${year} has ${days} days.`;
}

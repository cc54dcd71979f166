import type { z } from 'zod';
import { groupBy } from '../../lib/groups.ts';
import { maskSecrets } from '../../lib/secrets.ts';
import { plural } from '../../lib/text.ts';
import { nearest } from '../diagnostics/suggestions.ts';
import { emailAddress, forms } from '../fields.ts';
import { slugFrom } from '../slugs.ts';

/**
 * Returns the schema of the value at `path`; undefined if the path cannot be followed through objects, lists and
 * wrappers.
 */
function schemaAt(schema: z.ZodType, path: (string | number)[]): z.ZodType | undefined {
  let current: z.ZodType | undefined = unwrap(schema);
  for (const key of path) {
    const container: Container = current === undefined ? {} : unwrap(current);
    current = container.shape !== undefined ? container.shape[key] : (container.element ?? container.valueType);
  }
  return current;
}

/** The parts of the schema of an object, a list or a record. */
interface Container {
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  valueType?: z.ZodType;
}

function unwrap(schema: z.ZodType): z.ZodType & Container {
  let current = schema as z.ZodType & Container & { unwrap?: () => z.ZodType };
  while (typeof current.unwrap === 'function' && current.element === undefined) current = current.unwrap();
  return current;
}

/** Returns the keys of the object at `path`. */
function knownKeys(schema: z.ZodType, path: (string | number)[]): string[] {
  const at = schemaAt(schema, path);
  return Object.keys((at && unwrap(at).shape) ?? {});
}

/** Returns the description of the value at `path`, in a form that continues a sentence. */
function describe(schema: z.ZodType, path: (string | number)[]): string | undefined {
  const text = schemaAt(schema, path)?.description;
  return text !== undefined && /^[A-Z][a-z ]/.test(text) ? text[0]?.toLowerCase() + text.slice(1) : text;
}

/** Returns a sentence that says how to fix the value at `path`. It breaks the rule of `issue`. */
function valueHint(
  issue: z.core.$ZodIssue,
  value: unknown,
  path: (string | number)[],
  { schema, json }: { schema: z.ZodType; json: boolean },
): string {
  const expected = issue.code === 'invalid_type' ? issue.expected : '';
  const at = schemaAt(schema, path);
  const accepts = (other: unknown) => at?.safeParse(other).success === true;
  if (value === null || value === '')
    return accepts(undefined) ? 'Write a value, or remove the key.' : 'Write a value.';
  if (issue.code === 'custom' && typeof issue.params?.hint === 'string') return issue.params.hint;
  if (typeof value === 'string' && isQuoted(value, expected)) return 'Remove the quotes.';
  if (expected === 'string' && typeof value !== 'object' && accepts(String(value))) return 'Put it in quotes.';
  const proposal = meant(issue, value);
  // The text 06:00 is not the hour 360.
  const fits = !/int|number/.test(expected) || accepts(Number(proposal));
  if (proposal !== undefined && fits) return `Did you mean ${proposal}?`;
  if (issue.message === forms.date) return whyNoDay(String(value)) ?? 'Write it as YYYY-MM-DD, such as 2026-03-01.';
  if (issue.message === forms.line)
    return String(value).includes('\n') ? 'Write it on one line.' : 'Remove the spaces at its start and end.';
  if (issue.code === 'invalid_value') {
    const setting = at?.meta()?.setting;
    const yours = setting === undefined ? '.' : `, or change your list: \`${setting}\` in catalog.config.json.`;
    return issue.values.length === 1 ? `Write ${String(issue.values[0])}.` : `Choose one of these${yours}`;
  }
  const description = describe(schema, path);
  const keys = knownKeys(schema, expected === 'array' ? [...path, 0] : path);
  return (
    typeHint(expected, value, keys, { json, isEntry: typeof path.at(-1) === 'number' }) ??
    (description === undefined ? 'Correct it, or remove it.' : `What belongs here: ${description}.`)
  );
}

/** Whether a text would be valid without its quotes. */
function isQuoted(text: string, expected: string): boolean {
  if (expected === 'boolean') return text === 'true' || text === 'false';
  return (expected === 'int' || expected === 'number') && /^-?\d+(?:\.\d+)?$/.test(text);
}

/** The start of the hint for an entry of the wrong type. */
const entryHint = 'Write each entry as an object';

/**
 * Says how to write a value of the expected type. `keys` are the keys of the expected object, or of the entries of the
 * expected list.
 */
function typeHint(
  expected: string,
  value: unknown,
  keys: readonly string[],
  { json, isEntry }: { json: boolean; isEntry: boolean },
): string | undefined {
  const names = listOfKeys(keys);
  switch (expected) {
    case 'string':
      if (typeof value !== 'object') return undefined;
      return 'Write it as text. If it starts with a bracket or a brace, put it in quotes.';
    case 'array':
      if (!json && /^-\S/.test(typeof value === 'string' ? value : (Object.keys(value ?? {})[0] ?? '')))
        return 'Put a space after each hyphen.';
      return keys.length === 0
        ? `Write it as a list${listOf(value, json)}.`
        : `Write it as a list of objects. ${names}`;
    case 'object': {
      // In YAML, a key without a colon and a space is a text.
      const [word = ''] = typeof value === 'string' && !json ? value.split(/[\s:]/, 1) : [];
      const key = word === '' ? undefined : nearest(word, keys);
      if (key !== undefined) return `After \`${key}\`, write a colon, a space and its value.`;
      return keys.length === 0 ? undefined : `${isEntry ? entryHint : 'Write it as an object'}. ${names}`;
    }
    default:
      return undefined;
  }
}

/** Lists the known keys in a sentence. */
function listOfKeys(keys: readonly string[]): string {
  return keys.length === 1 ? `The only known key is ${keys[0]}.` : `The known keys are ${keys.join(', ')}.`;
}

/** Shows the list that a text was probably meant to be, as the end of a sentence. */
function listOf(value: unknown, json: boolean): string {
  if (typeof value !== 'string') return ' in square brackets, with commas between the entries';
  const items = value.split(/[\s[\],]*,[\s[\],]*|^[\s[]+|[\s\]]+$/).filter((item) => item !== '');
  return `: [${items.map((item) => (json ? JSON.stringify(item) : item)).join(', ')}]`;
}

/** One problem with a value, explained. */
interface Explanation {
  /** The end of the code of the rule that it breaks. */
  rule: 'missing-key' | 'unknown-key' | 'value';
  /** Whether it is about the key at the end of the path, not about its value. */
  key: boolean;
  /** Where in the value: keys and indexes from its root. For an unknown or a bad key, the path ends with that key. */
  path: (string | number)[];
  /** The problem: a full sentence that names the field and the rule. */
  message: string;
  /** How to fix it: a full sentence, or empty if the message says it all. */
  hint: string;
}

/**
 * Explains all problems that `schema` finds in `value`. The list is empty if the value is valid. Each mistake is one
 * entry: a misspelled key is not also reported as missing, and a value has only one entry, even if it breaks several
 * rules.
 *
 * `echo: false` keeps the value out of the messages, as for requests from readers. `json: true` writes suggestions as
 * JSON instead of YAML.
 */
export function explain(
  schema: z.ZodType,
  value: unknown,
  { echo = true, json = false }: { echo?: boolean; json?: boolean } = {},
): Explanation[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  const groups = groupBy(result.error.issues, ({ code, path }) => [
    JSON.stringify([code === 'unrecognized_keys', path]),
  ]);
  const explanations = [...groups.values()]
    .slice(0, mostExplained)
    .flatMap((issues) => explainIssues(issues, { schema, root: value, echo, json }));
  return withoutRepeats(withoutMisspelled(explanations));
}

/** The most mistakes of one kind that are explained. A value can have tens of thousands, which nobody reads. */
const mostExplained = 50;

interface Surroundings {
  schema: z.ZodType;
  root: unknown;
  echo: boolean;
  json: boolean;
}

/** Explains the issues of one value. */
function explainIssues(issues: readonly z.core.$ZodIssue[], surroundings: Surroundings): Explanation[] {
  const { schema, root, echo } = surroundings;
  const [issue] = issues;
  if (issue === undefined) return [];
  const path = issue.path.filter((key) => typeof key !== 'symbol');
  const name = path.length === 0 ? 'The top level' : `\`${fieldName(path)}\``;
  if (issue.code === 'unrecognized_keys') {
    const keys = knownKeys(schema, path);
    return issue.keys.slice(0, mostExplained).map((key) => unknownKey(key, path, keys));
  }
  if (issue.code === 'invalid_key') {
    const key = String(path.at(-1));
    const [flaw] = issue.issues;
    const proposal = flaw && meant(flaw, key);
    const message = `\`${key}\` cannot be a key; it has to be ${flaw?.message ?? 'another'}.`;
    const hint = proposal === undefined ? 'Rename it.' : `Rename it, for example to ${proposal}.`;
    return [{ rule: 'value', key: true, path, message, hint }];
  }
  const value = path.reduce<unknown>((parent, key) => (parent as Record<string | number, unknown> | null)?.[key], root);
  if (value === undefined) {
    const description = describe(schema, path);
    const hint = description === undefined ? 'Add it.' : `Add it: ${description}.`;
    return [{ rule: 'missing-key', key: false, path, message: `${name} is missing.`, hint }];
  }
  // If a value has the wrong type or is empty, its other errors are only a consequence.
  const reported = issue.code === 'invalid_type' || value === '' ? [issue] : issues;
  const rules = [...new Set(reported.map(ruleOf))];
  const shown = Array.isArray(value) && issue.code === 'too_big' ? `a list of ${value.length}` : show(value);
  const message = `${echo ? `${name} is ${shown}; it` : name} has to be ${rules.join(' and ')}.`;
  return [{ rule: 'value', key: false, path, message, hint: valueHint(issue, value, path, surroundings) }];
}

/** The most known keys that a message lists. */
const mostListed = 40;

function unknownKey(key: string, path: (string | number)[], keys: string[]): Explanation {
  const kind = /^(?:not-)?(?:matches|match|pattern|regexp)$/.test(key) ? 'regex' : '';
  const slip = keys.find((name) => name === kind || name.endsWith(`/${key}`)) ?? nearest(key, keys);
  const list = keys.length > mostListed ? 'Correct it, or remove it.' : listOfKeys(keys);
  const whole = [...path, key];
  const hint = slip !== undefined ? `Did you mean \`${slip}\`?` : list;
  return { rule: 'unknown-key', key: true, path: whole, message: `\`${fieldName(whole)}\` is not a known key.`, hint };
}

/** Other names that editors use for a key. */
const otherNames: Record<string, readonly string[]> = {
  title: ['name', 'heading'],
  date: ['day', 'published', 'publishedOn', 'pubDate'],
  category: ['section', 'topic'],
  tags: ['keywords', 'labels'],
  difficulty: ['level'],
  runtimes: ['assistants', 'models', 'tools'],
  excerpt: ['summary', 'description'],
  text: ['description', 'detail'],
  detail: ['description', 'text'],
  label: ['name', 'title'],
  name: ['title', 'label'],
  second: ['time', 'at'],
};

/** Drops the explanation of a missing key if an unknown key is probably that key under another name. */
function withoutMisspelled(explanations: readonly Explanation[]): Explanation[] {
  const missing = explanations.filter(({ rule }) => rule === 'missing-key');
  const explained = new Set<Explanation>();
  const result = explanations.map((entry) => {
    if (entry.rule !== 'unknown-key') return entry;
    const key = String(entry.path.at(-1));
    const beside = missing.filter((gap) => !explained.has(gap) && parent(gap) === parent(entry));
    const names = beside.map(({ path }) => String(path.at(-1)));
    const name = nearest(key, names) ?? names.find((other) => otherNames[other]?.includes(key));
    if (name === undefined) return entry;
    explained.add(beside[names.indexOf(name)] as Explanation);
    return { ...entry, hint: `Did you mean \`${name}\`?` };
  });
  return result.filter((entry) => !explained.has(entry));
}

function parent({ path }: Explanation): string {
  return JSON.stringify(path.slice(0, -1));
}

/** Keeps only the first explanation if several entries of a list are wrong in the same way. */
function withoutRepeats(explanations: readonly Explanation[]): Explanation[] {
  const seen = new Set<string>();
  return explanations.filter((entry) => {
    if (typeof entry.path.at(-1) !== 'number' || !entry.hint.startsWith(entryHint)) return true;
    const repeats = seen.has(parent(entry));
    seen.add(parent(entry));
    return !repeats;
  });
}

/** Returns the rule as the end of the sentence "it has to be …". */
function ruleOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.join(', ')}`;
    case 'invalid_type':
      return issue.message.startsWith('Invalid input') ? typeRule(issue.expected) : issue.message;
    case 'too_big':
      return issue.message.startsWith('Too big') ? limit('at most', issue.maximum, issue.origin) : issue.message;
    case 'too_small':
      return issue.message.startsWith('Too small') ? limit('at least', issue.minimum, issue.origin) : issue.message;
    default:
      return issue.message;
  }
}

function limit(relation: string, count: number | bigint, origin: string): string {
  if (origin === 'string') return `${relation} ${plural(Number(count), 'character')} long`;
  return origin === 'array'
    ? `a list of ${relation} ${count} ${count === 1 ? 'entry' : 'entries'}`
    : `${relation} ${count}`;
}

function typeRule(expected: string): string {
  const names: Record<string, string> = {
    string: 'text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object of keys and values',
    record: 'an object of keys and values',
  };
  return names[expected] ?? expected;
}

/** Shows a value in a recognizable form, cut to 60 characters. */
function show(value: unknown): string {
  if (value === null || value === '') return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(typeof value === 'string' ? maskSecrets(value) : value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…"` : text;
}

function fieldName(path: (string | number)[]): string {
  return path.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : name === '' ? key : `${name}.${key}`),
    '',
  );
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
function meant(issue: z.core.$ZodIssue, value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : undefined;
  if (text === undefined || text === '') return undefined;
  if (issue.code === 'invalid_value') return nearest(text, issue.values.map(String));
  if (issue.code === 'invalid_type' && issue.expected === 'boolean') return booleans[text.toLowerCase()];
  if (issue.code === 'invalid_type' && issue.expected !== 'string') return secondsOf(text);
  return byRule[issue.message]?.(text);
}

/** Suggests a value for each rule of fields.ts. */
const byRule: Record<string, (text: string) => string | undefined> = {
  [forms.date]: dateOf,
  [forms.slug]: (text) => slugFrom(text) || undefined,
  [forms.timeZone]: nearestTimeZone,
  [forms.language]: codeOfLanguage,
  [forms.contact]: (text) => (emailAddress.safeParse(text).success ? `mailto:${text}` : undefined),
  // Also the address that Git clones over SSH, as in git@github.com:ada/prompts.git.
  [forms.webUrl]: (text) => {
    const address = text.replace(/^git@([\w.-]+):/, '$1/');
    return /^[\w-]+(?:\.[\w-]+)+(?:[:/?#]\S*)?$/.test(address) ? `https://${address}` : undefined;
  },
};

/** Returns the code of a language by its English name, or as programs write it: "German" → de, pt_BR → pt-BR. */
function codeOfLanguage(name: string): string | undefined {
  if (/^[a-z]{2,3}_[A-Za-z]{2,4}$/.test(name)) return name.replace('_', '-');
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
  const dateForms: [RegExp, (a: string, b: string, c: string) => [string, string, string]][] = [
    [/^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?$/, (year, month, day) => [year, month, day]],
    [/^(\d{4})(\d\d)(\d\d)$/, (year, month, day) => [year, month, day]],
    [/^(\d{1,2})[.-](\d{1,2})[.-](\d{4})$/, (day, month, year) => [year, month, day]],
    [/^(\d{1,2})\/(\d{1,2})\/(\d{4})$/, (a, b, year) => (Number(a) > 12 ? [year, b, a] : [year, a, b])],
    [/^([a-z]{3})[a-z]*\.? (\d{1,2}),? (\d{4})$/i, (month, day, year) => [year, monthOf(month), day]],
    [/^(\d{1,2})\.? ([a-z]{3})[a-z]*\.?,? (\d{4})$/i, (day, month, year) => [year, monthOf(month), day]],
  ];
  for (const [form, order] of dateForms) {
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
function whyNoDay(text: string): string | undefined {
  const [, year = '', month = ''] = /^(\d{4})-(\d\d)-\d\d$/.exec(text) ?? [];
  if (year === '') return undefined;
  const days = lengthOfMonth(year, month);
  if (days === 0) return 'A year has 12 months.';
  const name = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' });
  return `${name.format(Date.UTC(2000, Number(month) - 1))} ${year} has ${days} days.`;
}

import type { z } from 'zod';
import { maskSecrets } from '../text-safety/secrets.ts';
import { dateRule } from './fields.ts';
import { meant, nearest, whyNoDay } from './suggestions.ts';

/** One thing that is wrong with a value, in words. */
export interface Explanation {
  kind: 'missing' | 'unknown-key' | 'bad-key' | 'value';
  /** Where in the value: keys and indexes from its root. For an unknown or a bad key, the path ends with that key. */
  path: (string | number)[];
  /** What is wrong: a full sentence that names the field and the rule. */
  message: string;
  /** How to mend it: a full sentence, or an empty text where the message says it all. */
  hint: string;
}

/**
 * Everything that `schema` finds wrong with `value`, in words; an empty list when it fits. One mistake is one entry: a
 * misspelled key is not reported as missing too, and a value has one entry, whatever rules it breaks.
 *
 * `echo: false` keeps the value itself out of the messages, for what readers send. `json: true` writes proposals as
 * JSON instead of YAML.
 */
export function explain(
  schema: z.ZodType,
  value: unknown,
  { echo = true, json = false }: { echo?: boolean; json?: boolean } = {},
): Explanation[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  const groups = new Map<string, z.core.$ZodIssue[]>();
  for (const issue of result.error.issues) {
    const place = JSON.stringify([issue.code === 'unrecognized_keys', issue.path]);
    groups.set(place, [...(groups.get(place) ?? []), issue]);
  }
  const found = [...groups.values()]
    .slice(0, mostExplained)
    .flatMap((issues) => explainIssues(issues, { schema, root: value, echo, json }));
  return withoutRepeats(withoutMisspelled(found));
}

/** How many mistakes of one kind are explained: a value may hold tens of thousands, and nobody reads so many. */
const mostExplained = 50;

interface Surroundings {
  schema: z.ZodType;
  root: unknown;
  echo: boolean;
  json: boolean;
}

/** In words, the issues of one place. */
function explainIssues(issues: readonly z.core.$ZodIssue[], surroundings: Surroundings): Explanation[] {
  const { schema, root, echo } = surroundings;
  const [issue] = issues;
  if (issue === undefined) return [];
  const path = issue.path.filter((key) => typeof key !== 'symbol');
  const name = path.length === 0 ? 'The whole' : `\`${fieldName(path)}\``;
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, path);
    return issue.keys.slice(0, mostExplained).map((key) => unknownKey(key, path, known));
  }
  if (issue.code === 'invalid_key') {
    const key = String(path.at(-1));
    const proposal = issue.issues[0] === undefined ? undefined : meant(issue.issues[0], key);
    return [
      {
        kind: 'bad-key',
        path,
        message: `\`${key}\` cannot be a key; it has to be ${keyRule(issue)}.`,
        hint: proposal === undefined ? 'Rename it.' : `Rename it, for example to ${proposal}.`,
      },
    ];
  }
  const found = valueAt(root, path);
  if (found === undefined) {
    const description = describe(schema, path);
    return [
      {
        kind: 'missing',
        path,
        message: `${name} is missing.`,
        hint: description === undefined ? 'Add it.' : `Add it: ${lowerFirst(description)}.`,
      },
    ];
  }
  // A value of a wrong type, and an empty text, break further rules only because of that.
  const told = issue.code === 'invalid_type' || found === '' ? [issue] : issues;
  const rules = [...new Set(told.map(rule))];
  return [
    {
      kind: 'value',
      path,
      message: `${echo ? `${name} is ${show(found)}; it` : name} has to be ${rules.join(' and ')}.`,
      hint: valueHint(issue, found, path, surroundings),
    },
  ];
}

function unknownKey(key: string, path: (string | number)[], known: string[]): Explanation {
  const slip = nearest(key, known);
  return {
    kind: 'unknown-key',
    path: [...path, key],
    message: `\`${fieldName([...path, key])}\` is not a known key.`,
    hint: slip !== undefined ? `Did you mean \`${slip}\`?` : `The known keys are ${known.join(', ')}.`,
  };
}

/** What else editors call a key. */
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

/** An unknown key that is most likely a missing one under another name is one mistake: the missing one is dropped. */
function withoutMisspelled(found: readonly Explanation[]): Explanation[] {
  const missing = found.filter(({ kind }) => kind === 'missing');
  const explained = new Set<Explanation>();
  const result = found.map((entry) => {
    if (entry.kind !== 'unknown-key') return entry;
    const key = String(entry.path.at(-1));
    const beside = missing.filter((one) => !explained.has(one) && parent(one) === parent(entry));
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

/** Entries of one list that are all wrong in the same way are one mistake: the first says so. */
function withoutRepeats(found: readonly Explanation[]): Explanation[] {
  const key = ({ kind, path, hint }: Explanation) =>
    kind === 'value' && typeof path.at(-1) === 'number' && hint.startsWith(entryHint)
      ? JSON.stringify(path.slice(0, -1))
      : null;
  const seen = new Set<string>();
  return found.filter((entry) => {
    const list = key(entry);
    if (list === null) return true;
    const repeats = seen.has(list);
    seen.add(list);
    return !repeats;
  });
}

/** The end of the sentence "it has to be …". */
function rule(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.join(', ')}`;
    case 'invalid_type':
      return issue.message.startsWith('Invalid input') ? typeRule(issue.expected) : issue.message;
    case 'too_big':
      return issue.message.startsWith('Too big') ? `at most ${issue.maximum}${unit(issue.origin)}` : issue.message;
    case 'too_small':
      return issue.message.startsWith('Too small') ? `at least ${issue.minimum}${unit(issue.origin)}` : issue.message;
    default:
      return issue.message;
  }
}

function unit(origin: string): string {
  if (origin === 'string') return ' characters long';
  return origin === 'array' ? ' entries long' : '';
}

function typeRule(expected: string): string {
  const names: Record<string, string> = {
    string: 'text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object with keys',
    record: 'an object with keys',
  };
  return names[expected] ?? expected;
}

function keyRule(issue: z.core.$ZodIssueInvalidKey): string {
  return issue.issues[0]?.message ?? 'another';
}

function valueHint(
  issue: z.core.$ZodIssue,
  found: unknown,
  path: (string | number)[],
  { schema, json }: Surroundings,
): string {
  const expected = issue.code === 'invalid_type' ? issue.expected : '';
  if (found === null || found === '') return 'Write a value, or remove the line if it is not needed.';
  if (issue.code === 'custom' && typeof issue.params?.hint === 'string') return issue.params.hint;
  if (typeof found === 'string' && isQuoted(found, expected)) return 'Remove the quotes.';
  const proposal = meant(issue, found);
  if (proposal !== undefined) return `Did you mean ${proposal}?`;
  if (issue.message === dateRule) return whyNoDay(String(found)) ?? 'Write it as YYYY-MM-DD, such as 2026-03-01.';
  if (issue.code === 'invalid_value') return 'Choose one of these.';
  const description = describe(schema, path);
  return (
    typeHint(expected, found, knownKeys(schema, expected === 'array' ? [...path, 0] : path), json) ??
    (description === undefined ? 'Correct it, or remove it.' : `What belongs here: ${lowerFirst(description)}.`)
  );
}

/** Whether a text would fit without its quotes. */
function isQuoted(text: string, expected: string): boolean {
  if (expected === 'boolean') return text === 'true' || text === 'false';
  return (expected === 'int' || expected === 'number') && /^-?\d+(?:\.\d+)?$/.test(text);
}

const entryHint = 'Write each entry with the keys ';

/** How to write a value of another type. `keys` are those of the object, or of the entries of the list, that it has to be. */
function typeHint(expected: string, found: unknown, keys: readonly string[], json: boolean): string | undefined {
  const names = keys.map((key) => `\`${key}\``).join(' and ');
  switch (expected) {
    case 'string':
      return typeof found === 'object'
        ? 'Write one text; put it in quotes when it starts with a bracket or a brace.'
        : 'Put it in quotes.';
    case 'array':
      return names === ''
        ? `Write it as a list${listOf(found, json)}.`
        : `Write it as a list; each entry has ${names}.`;
    case 'object':
      return names === '' ? undefined : `${entryHint}${names}.`;
    default:
      return undefined;
  }
}

/** The list that a text most likely stands for, as the end of a sentence. */
function listOf(found: unknown, json: boolean): string {
  if (typeof found !== 'string') return ', in square brackets and with commas';
  const items = found.split(',').map((item) => item.trim());
  return `: [${items.map((item) => (json ? JSON.stringify(item) : item)).join(', ')}]`;
}

/** A value as a person would recognise it, cut to 60 characters. */
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

function valueAt(root: unknown, path: (string | number)[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** The schema of what `path` leads to, as far as it can be followed through objects, lists and wrappers. */
function schemaAt(schema: z.ZodType, path: (string | number)[]): z.ZodType | undefined {
  let current: unknown = unwrap(schema);
  for (const key of path) {
    const { shape, element, valueType } = unwrap(current as z.ZodType) as {
      shape?: Record<string, unknown>;
      element?: unknown;
      valueType?: unknown;
    };
    current = shape !== undefined ? shape[key] : (element ?? valueType);
    if (current === undefined) return undefined;
  }
  return current as z.ZodType;
}

function unwrap(schema: z.ZodType): z.ZodType {
  let current = schema as z.ZodType & { unwrap?: () => z.ZodType; element?: unknown };
  while (typeof current.unwrap === 'function' && current.element === undefined) current = current.unwrap();
  return current;
}

function knownKeys(schema: z.ZodType, path: (string | number)[]): string[] {
  const at = schemaAt(schema, path);
  const { shape } = (at === undefined ? {} : unwrap(at)) as { shape?: Record<string, unknown> };
  return Object.keys(shape ?? {});
}

function describe(schema: z.ZodType, path: (string | number)[]): string | undefined {
  return schemaAt(schema, path)?.description;
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text[0]?.toLowerCase() + text.slice(1) : text;
}

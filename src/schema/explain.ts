import { closest, distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { maskSecrets } from '../secrets.ts';

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
 * Everything that `schema` finds wrong with `value`, in words; an empty list when it fits.
 *
 * `echo: false` keeps the value itself out of the messages, for what readers send.
 */
export function explain(schema: z.ZodType, value: unknown, { echo = true } = {}): Explanation[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => explainIssue(issue, schema, value, echo));
}

/** The one of `known` that `word` is most likely a slip of, or undefined. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const best = closest(word.toLowerCase(), [...known]);
  return distance(word.toLowerCase(), best.toLowerCase()) <= Math.max(1, Math.floor(word.length / 3))
    ? best
    : undefined;
}

function explainIssue(issue: z.core.$ZodIssue, schema: z.ZodType, root: unknown, echo: boolean): Explanation[] {
  const path = issue.path.filter((key) => typeof key !== 'symbol');
  const name = path.length === 0 ? 'The whole' : `\`${fieldName(path)}\``;
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, path);
    return issue.keys.map((key) => unknownKey(key, path, known));
  }
  if (issue.code === 'invalid_key') {
    const key = path.at(-1);
    return [
      {
        kind: 'bad-key',
        path,
        message: `\`${key}\` cannot be a key; it has to be ${keyRule(issue)}.`,
        hint: 'Rename it.',
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
  const shown = echo ? `${name} is ${show(found)}; it` : name;
  const slip =
    issue.code === 'invalid_value' && typeof found === 'string' ? nearest(found, issue.values.map(String)) : undefined;
  return [
    {
      kind: 'value',
      path,
      message: `${shown} has to be ${rule(issue)}.`,
      hint: slip !== undefined ? `Did you mean ${slip}?` : valueHint(issue, found, describe(schema, path)),
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

function valueHint(issue: z.core.$ZodIssue, found: unknown, description: string | undefined): string {
  const expected = issue.code === 'invalid_type' ? issue.expected : '';
  if (expected === 'string' && (typeof found === 'number' || typeof found === 'boolean')) return 'Put it in quotes.';
  if (expected === 'array') return 'Write it as a list, in square brackets and with commas.';
  if (found === null) return 'Write a value, or remove the line if it is not needed.';
  if (issue.code === 'invalid_value') return 'Choose one of these.';
  return description === undefined ? 'Correct it, or remove it.' : `What belongs here: ${lowerFirst(description)}.`;
}

/** A value as a person would recognise it, cut to 60 characters. */
function show(value: unknown): string {
  if (value === null) return 'empty';
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

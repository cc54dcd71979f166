import type { z } from 'zod';
import { plural } from '../plural.ts';
import { maskSecrets } from '../text-safety/find-secrets.ts';
import { describe, knownKeys, valueAt } from './schema-at.ts';
import { meant, nearest } from './suggestions.ts';
import { entryHint, listOfKeys, valueHint } from './zod-hints.ts';

/** One problem with a value, explained. */
export interface Explanation {
  kind: 'missing' | 'unknown-key' | 'bad-key' | 'value';
  /** Where in the value: keys and indexes from its root. For an unknown or a bad key, the path ends with that key. */
  path: (string | number)[];
  /** What is wrong: a full sentence that names the field and the rule. */
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
  const groups = new Map<string, z.core.$ZodIssue[]>();
  for (const issue of result.error.issues) {
    const group = JSON.stringify([issue.code === 'unrecognized_keys', issue.path]);
    groups.set(group, [...(groups.get(group) ?? []), issue]);
  }
  const found = [...groups.values()]
    .slice(0, mostExplained)
    .flatMap((issues) => explainIssues(issues, { schema, root: value, echo, json }));
  return withoutRepeats(withoutMisspelled(found));
}

/** The most mistakes of one kind that are explained. A value can have tens of thousands, and nobody reads that many. */
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
        hint: description === undefined ? 'Add it.' : `Add it: ${description}.`,
      },
    ];
  }
  // If a value has the wrong type or is empty, its other errors are only a consequence.
  const reported = issue.code === 'invalid_type' || found === '' ? [issue] : issues;
  const rules = [...new Set(reported.map(rule))];
  return [
    {
      kind: 'value',
      path,
      message: `${echo ? `${name} is ${show(found)}; it` : name} has to be ${rules.join(' and ')}.`,
      hint: valueHint(issue, found, path, surroundings),
    },
  ];
}

/** The most known keys that a message lists. */
const mostListed = 40;

function unknownKey(key: string, path: (string | number)[], known: string[]): Explanation {
  const slip = nearest(key, known) ?? known.find((name) => name.endsWith(`/${key}`));
  const list = known.length > mostListed ? 'Correct it, or remove it.' : listOfKeys(known);
  return {
    kind: 'unknown-key',
    path: [...path, key],
    message: `\`${fieldName([...path, key])}\` is not a known key.`,
    hint: slip !== undefined ? `Did you mean \`${slip}\`?` : list,
  };
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

/** Keeps only the first explanation if several entries of a list are wrong in the same way. */
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

/** Returns the rule as the end of the sentence "it has to be …". */
function rule(issue: z.core.$ZodIssue): string {
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

function keyRule(issue: z.core.$ZodIssueInvalidKey): string {
  return issue.issues[0]?.message ?? 'another';
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

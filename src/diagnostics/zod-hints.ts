import type { z } from 'zod';
import { dateRule, lineRule } from '../schema/fields.ts';
import { describe, knownKeys, listedIn } from './schema-at.ts';
import { meant, nearest, whyNoDay } from './suggestions.ts';

/** Returns a sentence that says how to fix the value `found` at `path`. It breaks the rule of `issue`. */
export function valueHint(
  issue: z.core.$ZodIssue,
  found: unknown,
  path: (string | number)[],
  { schema, json }: { schema: z.ZodType; json: boolean },
): string {
  const expected = issue.code === 'invalid_type' ? issue.expected : '';
  if (found === null || found === '') return 'Write a value, or remove the line if it is not needed.';
  if (issue.code === 'custom' && typeof issue.params?.hint === 'string') return issue.params.hint;
  if (typeof found === 'string' && isQuoted(found, expected)) return 'Remove the quotes.';
  const proposal = meant(issue, found);
  if (proposal !== undefined) return `Did you mean ${proposal}?`;
  if (issue.message === dateRule) return whyNoDay(String(found)) ?? 'Write it as YYYY-MM-DD, such as 2026-03-01.';
  if (issue.message === lineRule)
    return String(found).includes('\n') ? 'Write it on one line.' : 'Remove the spaces at its start and end.';
  if (issue.code === 'invalid_value') {
    const setting = listedIn(schema, path);
    const yours = setting === undefined ? '.' : `, or change your list: \`${setting}\` in catalog.config.json.`;
    return issue.values.length === 1 ? `Write ${String(issue.values[0])}.` : `Choose one of these${yours}`;
  }
  const description = describe(schema, path);
  const keys = knownKeys(schema, expected === 'array' ? [...path, 0] : path);
  return (
    typeHint(expected, found, keys, { json, isEntry: typeof path.at(-1) === 'number' }) ??
    (description === undefined ? 'Correct it, or remove it.' : `What belongs here: ${description}.`)
  );
}

/** Whether a text would be valid without its quotes. */
function isQuoted(text: string, expected: string): boolean {
  if (expected === 'boolean') return text === 'true' || text === 'false';
  return (expected === 'int' || expected === 'number') && /^-?\d+(?:\.\d+)?$/.test(text);
}

/** The start of the hint for an entry of the wrong type. */
export const entryHint = 'Write each entry as an object';

/**
 * Says how to write a value of the expected type. `keys` are the keys of the expected object, or of the entries of the
 * expected list.
 */
function typeHint(
  expected: string,
  found: unknown,
  keys: readonly string[],
  { json, isEntry }: { json: boolean; isEntry: boolean },
): string | undefined {
  const names = listOfKeys(keys);
  switch (expected) {
    case 'string':
      return typeof found === 'object'
        ? 'Write it as text. If it starts with a bracket or a brace, put it in quotes.'
        : 'Put it in quotes.';
    case 'array':
      return keys.length === 0
        ? `Write it as a list${listOf(found, json)}.`
        : `Write it as a list of objects. ${names}`;
    case 'object': {
      // In YAML, a key without a colon and a space is a text.
      const [word = ''] = typeof found === 'string' && !json ? found.split(/[\s:]/, 1) : [];
      const key = word === '' ? undefined : nearest(word, keys);
      if (key !== undefined) return `After \`${key}\`, write a colon, a space and its value.`;
      return keys.length === 0 ? undefined : `${isEntry ? entryHint : 'Write it as an object'}. ${names}`;
    }
    default:
      return undefined;
  }
}

/** Lists the known keys in a sentence. */
export function listOfKeys(keys: readonly string[]): string {
  return keys.length === 1 ? `The only known key is ${keys[0]}.` : `The known keys are ${keys.join(', ')}.`;
}

/** Shows the list that a text was probably meant to be, as the end of a sentence. */
function listOf(found: unknown, json: boolean): string {
  if (typeof found !== 'string') return ' in square brackets, with commas between the entries';
  const items = found.split(',').map((item) => item.trim());
  return `: [${items.map((item) => (json ? JSON.stringify(item) : item)).join(', ')}]`;
}

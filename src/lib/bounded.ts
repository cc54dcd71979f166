import { Script } from 'node:vm';

/** The most levels of nesting in JSON from clients. The deepest valid request, an MCP call with `_meta`, has five. */
const mostLevels = 64;

/** The error for well-formed JSON that is nested too deep for recursive code. */
export class TooDeep extends Error {
  override readonly name = 'TooDeep';
  /** The value. Read only its top levels. */
  readonly value: unknown;

  constructor(value: unknown) {
    super(`The JSON is nested more than ${mostLevels} levels deep.`);
    this.value = value;
  }
}

/**
 * The most characters of a string in JSON of others. A regular expression with a repeated group needs memory for each
 * repetition, and V8 throws a RangeError for several million. The longest valid string, `lines` in api/revisions.json, is shorter.
 */
const longestString = 2 ** 21;

/**
 * Parses JSON from outside: clients, services, other sites, and files that anyone may have written.
 *
 * Throws SyntaxError for malformed JSON, and for a string with more than 2,097,152 characters.
 * Throws TooDeep for more than `mostLevels` levels.
 */
export function parseBoundedJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isTooDeep(text)) throw new TooDeep(value);
  return value;
}

/** The most bytes of a document about all agents, such as api/revisions.json. */
export const largestDocument = 64 * 1024 * 1024;

/** The most characters of a line in a log, except for a list of recipients. No request is longer. */
const longestRecord = 256 * 1024;

/** Parses a line of a log, or a file of one line. Throws SyntaxError if it is malformed or too long. */
export function parseRecord(text: string): unknown {
  if (text.length > longestRecord) throw new SyntaxError(`The line has more than ${longestRecord} characters.`);
  return JSON.parse(text);
}

const [quote, backslash] = [0x22, 0x5c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts brackets outside strings, without recursion. */
function isTooDeep(text: string): boolean {
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      if (end - at > longestString)
        throw new SyntaxError(`The JSON has a string with more than ${longestString} characters.`);
      at = end;
    } else if (code === openBracket || code === openBrace) {
      level += 1;
      if (level > mostLevels) return true;
    } else if (code === closeBracket || code === closeBrace) level -= 1;
  }
  return false;
}

/** The index of the closing quote of the string that starts at `start`. */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

/** How long a regular expression may look for a match in a text, in milliseconds. */
const limitMs = 500;

/** Whether a part of a text matches; `slow` if finding out takes too long. */
export type Match = boolean | 'slow';

/**
 * Tells for each regular expression whether some part of `text` matches. Those after one that takes too long are not tried.
 */
export function matches(sources: readonly string[], text: string): Map<string, Match> {
  const together = tryAll(sources, text);
  if (together !== null) return new Map(sources.map((source, index) => [source, together[index] as boolean]));
  const found = new Map<string, Match>();
  for (const source of sources) {
    const alone = [...found.values()].includes('slow') ? null : tryAll([source], text);
    found.set(source, alone?.[0] ?? 'slow');
  }
  return found;
}

/** Returns null if it takes too long. A regular expression can run for years, and only a script can be stopped within one. */
function tryAll(sources: readonly string[], text: string): boolean[] | null {
  if (sources.length === 0) return [];
  const script = new Script(`[${sources.map(regexCode)}].map((regex) => regex.test(${JSON.stringify(text)}))`);
  try {
    return script.runInThisContext({ timeout: limitMs }) as boolean[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
    throw error;
  }
}

/** Returns a regular expression as JavaScript, in one line. */
export function regexCode(source: string): string {
  const { pattern, flags } = partsOf(source);
  return `new RegExp(${JSON.stringify(pattern)}, ${JSON.stringify(flags)})`;
}

/** Says what is wrong with a regular expression, or returns null. */
export function regexFlaw(source: string): string | null {
  const { pattern, flags } = partsOf(source);
  try {
    new RegExp(pattern, flags);
    return null;
  } catch (error) {
    return (error as Error).message.split(': ').at(-1) ?? '';
  }
}

/** `^` and `$` match at every line. `(?i)` at the start makes upper and lower case the same. */
function partsOf(source: string): { pattern: string; flags: string } {
  return source.startsWith('(?i)') ? { pattern: source.slice(4), flags: 'imu' } : { pattern: source, flags: 'mu' };
}

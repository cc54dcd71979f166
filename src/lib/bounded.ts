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
 * repetition, and V8 throws a RangeError for several million. The longest valid string, `lines` in api/revisions.json,
 * is shorter.
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
const longestLine = 256 * 1024;

/** Parses a line of a log, or a file of one line. Throws SyntaxError if it is malformed or too long. */
export function parseJsonLine(text: string): unknown {
  if (text.length > longestLine) throw new SyntaxError(`The line has more than ${longestLine} characters.`);
  // An editor may have written a byte order mark at the start of the file.
  return JSON.parse(text.trim());
}

const [quote, backslash] = [0x22, 0x5c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts brackets outside strings, without recursion. */
function isTooDeep(text: string): boolean {
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at, at + longestString + 1);
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

/** The index of the closing quote of the string that starts at `start`, or a larger one than `last` if it ends later. */
function endOfString(text: string, start: number, last = text.length - 1): number {
  let at = start + 1;
  while (at <= last && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

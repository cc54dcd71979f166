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

/** Parses JSON from a client. Throws SyntaxError for malformed JSON, and TooDeep for more than `mostLevels` levels. */
export function parseBoundedJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isTooDeep(text)) throw new TooDeep(value);
  return value;
}

const [quote, backslash] = [0x22, 0x5c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts brackets outside strings, without recursion. */
function isTooDeep(text: string): boolean {
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openBracket || code === openBrace) {
      level += 1;
      if (level > mostLevels) return true;
    } else if (code === closeBracket || code === closeBrace) level -= 1;
  }
  return false;
}

/** The index of the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

import { type LocatedWording, located, type Wording } from '../../schema/diagnostics/diagnostic.ts';
import { jsonMessages } from '../../schema/messages/formats.ts';

/**
 * An error and, if the fix is obvious, the text with that fix. Its length is the same, so all offsets stay valid. It can have
 * fewer lines, since a missing comma replaces the line break after a value.
 */
type Problem = { offset: number; length: number; wording: Wording; repaired: string | null };

/** The most errors that are reported for a text. More would not help. */
const maxProblems = 20;
const maxRounds = 200;

/**
 * Parses a JSON text. `value` is undefined if the text cannot be parsed even after obvious fixes. `repaired` is the text
 * with these fixes, in which the locations of values can be found.
 */
export function readJson(text: string): { value: unknown; problems: LocatedWording[]; repaired: string } {
  const problems: LocatedWording[] = [];
  let current = text;
  // Every round parses the whole text again, and a text can have thousands of wrong quotes, so rounds are limited.
  for (let round = 0; ; round += 1) {
    try {
      return { value: JSON.parse(current), problems, repaired: current };
    } catch {
      const { offset, length, wording, repaired } = firstProblem(current, text);
      // Wrong quotes are reported once, however many there are.
      if (!(wording.hint === doubleQuotes && problems.some(({ hint }) => hint === doubleQuotes)))
        problems.push(located(text, offset, length, wording));
      if (repaired === null || problems.length >= maxProblems || round >= maxRounds)
        return { value: undefined, problems, repaired: current };
      current = repaired;
    }
  }
}

const { hint: doubleQuotes } = jsonMessages.singleQuotes(false);

type Expected = 'value' | 'first item' | 'item' | 'key' | 'first key' | 'colon' | 'end';

const space = /[ \t\n\r]*/y;
const string = /"(?:[^"\\\p{Cc}]|[\x7F-\x9F]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;
const commentStart = /^(?:\/\/|#)[^\n]*|^\/\*[\s\S]*?(?:\*\/|$)/;

/** Finds the first error of a text that `JSON.parse` rejected: not every Node.js says where it is. `written` has no fixes. */
function firstProblem(text: string, written: string): Problem {
  const open: { bracket: string; offset: number }[] = [];
  let expected: Expected = 'value';
  let end = 0;
  for (;;) {
    const at = end + matchLength(space, text, end);
    const character = text[at];
    if (character === undefined) return endsEarly(text, open, written);
    const comment = '/#'.includes(character) ? commentStart.exec(text.slice(at, at + 10_000))?.[0] : undefined;
    if (comment !== undefined) {
      return problem(text, at, comment.length, jsonMessages.noComments, comment.replace(/[^\n]/g, ' '));
    }
    const closes = (character === '}' || character === ']') && open.at(-1)?.bracket === (character === '}' ? '{' : '[');
    let length = 1;
    if (expected === 'end') {
      if (closes) open.pop();
      else if (character === ',' && open.length > 0) expected = open.at(-1)?.bracket === '{' ? 'key' : 'item';
      else return noComma(text, at, end, open.length);
    } else if (expected === 'colon') {
      if (character !== ':') return problem(text, end, 1, jsonMessages.colonMissing);
      expected = 'value';
    } else if (closes && expected.startsWith('first')) {
      open.pop();
      expected = 'end';
    } else if (closes && expected !== 'value') {
      return problem(text, text.lastIndexOf(',', at), 1, jsonMessages.commaAtEnd, ' ');
    } else if (expected !== 'key' && expected !== 'first key' && (character === '{' || character === '[')) {
      open.push({ bracket: character, offset: at });
      expected = character === '{' ? 'first key' : 'first item';
    } else {
      const isKey: boolean = expected === 'key' || expected === 'first key';
      length = matchLength(string, text, at) || (isKey ? 0 : matchLength(scalar, text, at));
      if (length === 0) return badToken(text, at, isKey);
      expected = isKey ? 'colon' : 'end';
    }
    end = at + length;
  }
}

function matchLength(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

function problem(text: string, offset: number, length: number, wording: Wording, replacement?: string): Problem {
  const repaired =
    replacement === undefined ? null : text.slice(0, offset) + replacement + text.slice(offset + replacement.length);
  return { offset, length, wording, repaired };
}

function noComma(text: string, at: number, end: number, depth: number): Problem {
  const character = text[at] ?? '';
  if (depth === 0 && character === ':') return problem(text, 0, 1, jsonMessages.braceMissing);
  if (depth === 0) return problem(text, at, 1, jsonMessages.textAfterEnd);
  if (character === '}' || character === ']') return problem(text, at, 1, jsonMessages.wrongBracket(character));
  const room = /[ \t\n\r]/.test(text[end] ?? '');
  return problem(text, end, 1, jsonMessages.commaMissing, room ? ',' : undefined);
}

function badToken(text: string, at: number, isKey: boolean): Problem {
  const character = text[at] ?? '';
  if (character === '"') {
    const line = /^"[^\n]*/.exec(text.slice(at))?.[0] ?? '';
    return /^"(?:[^"\\]|\\.)*"/.test(line)
      ? problem(text, at, line.length, jsonMessages.wrongCharacterInText)
      : problem(text, at, 1, jsonMessages.quoteNotClosed);
  }
  if (character === "'") {
    const quoted = /^'[^'"\\\n]*'/.exec(text.slice(at))?.[0];
    const repaired = quoted === undefined ? undefined : `"${quoted.slice(1, -1)}"`;
    return problem(text, at, quoted?.length ?? 1, jsonMessages.singleQuotes(isKey), repaired);
  }
  if (character === ',') return problem(text, at, 1, jsonMessages.extraComma, ' ');
  const word = /^[\p{L}\p{N}_$.+-]+/u.exec(text.slice(at, at + 200))?.[0];
  if (word === undefined) return problem(text, at, 1, jsonMessages.wrongCharacter(character, isKey));
  const plain = { True: 'true', False: 'false', None: 'null', undefined: 'null' }[word];
  const number = /^0+\d+$/.test(word) ? `${Number(word)}, or put it in double quotes if it is text` : undefined;
  return problem(text, at, word.length, jsonMessages.wrongWord(word, isKey, isKey ? undefined : (plain ?? number)));
}

function endsEarly(text: string, open: readonly { bracket: string; offset: number }[], written: string): Problem {
  const last = Math.max(0, text.trimEnd().length - 1);
  const bracket = open.at(-1);
  if (bracket === undefined) return problem(text, last, 1, jsonMessages.valueMissing);
  const line = written.slice(0, bracket.offset).split('\n').length;
  const missing = bracket.bracket === '{' ? '}' : ']';
  return problem(text, last, 1, jsonMessages.bracketNotClosed(bracket.bracket, line, missing));
}

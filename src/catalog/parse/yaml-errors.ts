import { isAlias, parseDocument, visit } from 'yaml';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { tooDeepAt } from '../../diagnostics/yaml-location.ts';
import { parseYaml } from './yaml.ts';

/** An error in a YAML text. `offset` and `length` are in UTF-16 units. */
export interface YamlFault {
  code: Diagnostic['code'];
  offset: number;
  length: number;
  message: string;
  hint: string;
}

/** Explains why js-yaml rejected a text, with the help of a second parser that reports positions. */
export function explainYaml(source: string): YamlFault {
  const deep = tooDeepAt(source);
  if (deep !== -1) {
    return fault(
      deep,
      1,
      'The front matter is nested too deeply here: more than 100 lists and keys are open.',
      'No key of an agent needs more than two levels. If this is text, put it in quotes.',
    );
  }
  const known = tabIndent(source) ?? strayHyphen(source) ?? afterQuote(source) ?? openBracket(source);
  if (known !== null) return known;
  const document = parseDocument(source, { prettyErrors: false });
  const anchored = findAnchor(document, source);
  if (anchored !== undefined) {
    return {
      code: 'front-matter/anchor',
      offset: anchored.offset,
      length: anchored.name.length,
      message: `\`${anchored.name}\` is a YAML anchor or alias, which front matter must not have.`,
      hint: 'If it is meant as text, put the whole text in quotes; otherwise write the value out.',
    };
  }
  const error = document.errors[0];
  if (error?.code === 'DUPLICATE_KEY') return duplicateKey(source, error.pos[0]);
  const open = unclosedQuote(source);
  if (error?.code === 'MISSING_CHAR' && open !== null) {
    return fault(
      open,
      1,
      'The quote that opens here is never closed.',
      'Add the closing quote at the end of the text.',
    );
  }
  const continued = /^[\w-]+: *[^\s|>[{][^\n]*\n(?=[ ]+[\w-]+:(?: |$))/.exec(source);
  if (continued !== null) return indentedKey(source, continued[0].length);
  const mark = markOf(source);
  const offset = error?.pos[0] ?? mark.offset;
  const length = (error?.pos[1] ?? offset + 1) - offset;
  return {
    code: 'front-matter/yaml',
    offset,
    length,
    ...wordsFor(error?.code ?? '', source, offset, error?.message ?? mark.reason),
  };
}

function fault(offset: number, length: number, message: string, hint: string): YamlFault {
  return { code: 'front-matter/yaml', offset, length, message, hint };
}

export function duplicateKey(source: string, offset: number): YamlFault {
  const name = /^[^:\s]+/.exec(source.slice(offset))?.[0] ?? 'A key';
  return {
    code: 'front-matter/duplicate-key',
    offset,
    length: name.length,
    message: `\`${name}\` appears twice.`,
    hint: 'Keep one of the two lines.',
  };
}

export function indentedKey(source: string, offset: number): YamlFault {
  const [, spaces = '', name = ''] = /^(\s*)([^\s:]*)/.exec(source.slice(offset)) ?? [];
  return fault(
    offset,
    spaces.length + name.length,
    `\`${name}\` is indented, so it belongs to the line above.`,
    'Start the key in the first column. If the line continues a text, put that whole text in quotes.',
  );
}

/** A marker that was left behind when someone resolved a merge conflict by hand, as the first line of `text`. */
export function conflictMarker(text: string): YamlFault | null {
  const line = /^(?:={7}|>{7}|\|{7})(?: .*)?(?=\n|$)/.exec(text)?.[0];
  if (line === undefined) return null;
  const message = 'This line is a merge conflict marker.';
  const hint = 'Delete it, and keep one version of the lines around it.';
  return { code: 'text/conflict', offset: 0, length: line.length, message, hint };
}

export function noKey(text: string): YamlFault {
  const [, key, value = ''] = /^([\w-]+):(\S.*)/.exec(text) ?? [];
  if (key !== undefined) {
    return fault(key.length, 1, `There is no space after the colon.`, `Write \`${key}: ${short(value)}\`.`);
  }
  const [line = '', word = '', rest = ''] = /^(\S*)[ \t]*(.*)/.exec(text) ?? [];
  return fault(
    0,
    line.length,
    'This line has no colon, so it is not a key with a value.',
    `Write \`${short(word)}: ${short(rest)}\`, or put the text on the line of its key.`,
  );
}

function tabIndent(source: string): YamlFault | null {
  const match = /^ *\t+/m.exec(source);
  return match && fault(match.index, match[0].length, 'This line is indented with a tab.', 'Use spaces.');
}

function strayHyphen(source: string): YamlFault | null {
  const match = /^( *)-([\w"'][^\n]*)/m.exec(source);
  if (match === null || /[|>][+-]?\d?[ \t]*\n/.test(source)) return null;
  const [, spaces = '', rest = ''] = match;
  return fault(match.index + spaces.length, 1, 'There is no space after the hyphen.', `Write \`- ${short(rest)}\`.`);
}

/** Finds text after a closing quote. */
function afterQuote(source: string): YamlFault | null {
  const form = /^([ -]*[\w-]+: +)("(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'(?!'))[ \t]*([^\s#][^\n]*)$/m;
  const match = form.exec(source);
  if (match === null) return null;
  const [line, before = '', quoted = '', rest = ''] = match;
  const quote = quoted.startsWith('"') ? "'" : '"';
  return fault(
    match.index + line.length - rest.length,
    rest.length,
    'There is text after the closing quote.',
    `Put the whole text in quotes: ${quote}${short(line.slice(before.length))}${quote}.`,
  );
}

/** Finds a bracket that opens a list or object and is never closed. */
function openBracket(source: string): YamlFault | null {
  const [line, before = '', bracket = '', rest = ''] = /^([\w-]+: *)([[{])([\s\S]*)/.exec(source) ?? [];
  if (line === undefined || rest.includes(bracket === '[' ? ']' : '}')) return null;
  return fault(
    before.length,
    1,
    'The bracket that opens here is never closed.',
    `Add the closing \`${bracket === '[' ? ']' : '}'}\`. If this is text, put it in quotes.`,
  );
}

/** Explains a common mistake, by its error code in the parser. */
function wordsFor(code: string, source: string, offset: number, reason: string): { message: string; hint: string } {
  const line = /^[^\n]*/.exec(source.slice(offset))?.[0] ?? '';
  switch (code) {
    case 'BLOCK_AS_IMPLICIT_KEY': {
      const quote = line.includes("'") ? '"' : "'";
      return {
        message: 'This text has a colon and a space, which YAML takes for another key.',
        hint: `Put the whole text in quotes: ${quote}${short(line)}${quote}.`,
      };
    }
    case 'BAD_INDENT':
      return {
        message: 'This line is not indented like the lines that it belongs to.',
        hint: 'Start the keys of one level in the same column; start the entries of a list with two spaces, a hyphen, and a space.',
      };
    case 'BAD_SCALAR_START':
      return {
        message: `This text starts with \`${line[0] ?? ''}\`, which has a special meaning in YAML.`,
        hint: 'Put the whole text in quotes.',
      };
    default:
      return {
        message: `The front matter is not well-formed YAML here: ${firstSentence(reason)}.`,
        hint: 'Check the indentation and the quotes of this line and the one before it.',
      };
  }
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/**
 * Finds the first quote that is not closed on its line, or returns null. Texts of several lines are rare in front
 * matter.
 */
function unclosedQuote(source: string): number | null {
  for (const match of source.matchAll(/^(?: *- )? *(?:\w+: +)(["'])(.*)$/gm)) {
    const [line, quote = '', rest = ''] = match;
    if (!(quote === '"' ? /^(?:[^"\\]|\\.)*"/ : /^(?:[^']|'')*'(?!')/).test(rest)) {
      return match.index + line.length - rest.length - 1;
    }
  }
  return null;
}

/** Finds the first anchor or alias of a document. */
function findAnchor(document: ReturnType<typeof parseDocument>, source: string) {
  let found: { offset: number; name: string } | undefined;
  visit(document, {
    Node(_key, node) {
      if (isAlias(node)) found = { offset: node.range?.[0] ?? 0, name: `*${node.source}` };
      else if (node.anchor !== undefined)
        found = { offset: source.indexOf(`&${node.anchor}`), name: `&${node.anchor}` };
      return found === undefined ? undefined : visit.BREAK;
    },
  });
  return found;
}

function markOf(source: string): { offset: number; reason: string } {
  try {
    parseYaml(source);
  } catch (error) {
    const { mark, reason } = error as { mark?: { position: number }; reason?: string };
    return { offset: mark?.position ?? 0, reason: reason ?? 'it cannot be read' };
  }
  return { offset: 0, reason: 'it cannot be read' };
}

function firstSentence(message: string): string {
  const sentence = (message.split('\n')[0] ?? message).replace(/[.:]$/, '');
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}

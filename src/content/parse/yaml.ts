import yaml from 'js-yaml';
import { isAlias, parseDocument, visit } from 'yaml';
import type { Wording } from '../../schema/diagnostics/diagnostic.ts';
import { tooDeepAt, topLevelBlocks } from '../../schema/diagnostics/yaml-location.ts';
import { jsonMessages, yamlMessages } from '../../schema/messages/formats.ts';
import { textMessages } from '../../schema/messages/texts.ts';
import type { RuleCode } from '../../schema/rules.ts';

/**
 * Parses YAML with js-yaml 4 and its core schema, in which dates stay text. It refuses anchors through an undocumented
 * listener of the library.
 *
 * Throws if the text is malformed.
 */
export function parseYaml(source: string): unknown {
  return yaml.load(source, {
    schema: yaml.CORE_SCHEMA,
    listener(_event, state) {
      if ((state as { anchor?: string | null }).anchor != null) throw new Error('anchor');
    },
  });
}

/** An error in a YAML text. `offset` and `length` are in UTF-16 units. */
interface YamlProblem extends Wording {
  code: RuleCode;
  offset: number;
  length: number;
}

/** Explains why js-yaml rejected a text, with the help of a second parser that reports positions. */
function explainYaml(source: string): YamlProblem {
  const deep = tooDeepAt(source);
  if (deep !== -1) return problem(deep, 1, yamlMessages.nestedTooDeeply);
  const common =
    tabIndent(source) ?? strayHyphen(source) ?? afterQuote(source) ?? openBracket(source) ?? markedText(source);
  if (common !== null) return common;
  const document = parseDocument(source, { prettyErrors: false });
  const anchored = findAnchor(document, source);
  if (anchored !== undefined) {
    const { offset, name } = anchored;
    return problem(offset, name.length, yamlMessages.anchorOrAlias(name), 'front-matter/anchor');
  }
  const error = document.errors[0];
  if (error?.code === 'DUPLICATE_KEY') return duplicateKey(source, error.pos[0]);
  const open = unclosedQuote(source);
  if (error?.code === 'MISSING_CHAR' && open !== null) return problem(open, 1, yamlMessages.quoteNotClosed);
  const mark = markOf(source);
  const offset = error?.pos[0] ?? mark.offset;
  const [line = '', ...others] = source.slice(offset).split('\n');
  const next = others.findIndex((other) => /:(?:\s|$)/.test(other));
  // The text that seems to be a key goes on in a line that is one.
  if (error?.code === 'BLOCK_AS_IMPLICIT_KEY' && next !== -1 && !/:(?:\s|$)/.test(line)) {
    const start = offset + [line, ...others.slice(0, next), ''].join('\n').length;
    return offset < source.indexOf('\n') ? indentedKey(source, start) : problem(start, 1, yamlMessages.unevenIndent);
  }
  const wording = wordsFor(error?.code ?? '', line, error?.message ?? mark.reason);
  return problem(offset, (error?.pos[1] ?? offset + 1) - offset, wording);
}

function problem(offset: number, length: number, wording: Wording, code: RuleCode = 'front-matter/yaml'): YamlProblem {
  return { code, offset, length, ...wording };
}

function duplicateKey(source: string, offset: number): YamlProblem {
  const [name = ':'] = /^:*[^:\s]+/.exec(source.slice(offset)) ?? [];
  return problem(offset, name.length, yamlMessages.keyTwice(name), 'front-matter/duplicate-key');
}

function indentedKey(source: string, offset: number): YamlProblem {
  const [, spaces = '', name = ''] = /^(\s*)([^\s:]*)/.exec(source.slice(offset)) ?? [];
  return problem(offset, spaces.length + name.length, yamlMessages.keyIndented(name));
}

/** A marker that was left behind when someone resolved a merge conflict by hand, as the first line of `text`. */
function conflictMarker(text: string): YamlProblem | null {
  const line = /^(?:={7}|>{7}|\|{7})(?: .*)?(?=\n|$)/.exec(text)?.[0];
  if (line === undefined) return null;
  return problem(0, line.length, textMessages.leftConflictMarker, 'text/conflict');
}

function noKey(text: string): YamlProblem {
  const [line = ''] = text.split('\n', 1);
  const wording = withoutSpace(line);
  return wording === null ? problem(0, line.length, withoutColon(line)) : problem(line.indexOf(':'), 1, wording);
}

function tabIndent(source: string): YamlProblem | null {
  const match = /^ *\t+/m.exec(source);
  return match && problem(match.index, match[0].length, yamlMessages.indentedWithTab);
}

function strayHyphen(source: string): YamlProblem | null {
  const match = /^( *)-([\w"'][^\n]*)/m.exec(source);
  if (match === null || /[|>][+-]?\d?[ \t]*\n/.test(source)) return null;
  const [, spaces = '', rest = ''] = match;
  return problem(match.index + spaces.length, 1, yamlMessages.noSpaceAfterHyphen(rest));
}

/** Finds text after a closing quote. */
function afterQuote(source: string): YamlProblem | null {
  const form = /^([ -]*[\w-]+: +)(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'(?!'))[ \t]*([^\s#][^\n]*)$/m;
  const match = form.exec(source);
  if (match === null) return null;
  const [line, before = '', rest = ''] = match;
  const wording = yamlMessages.textAfterQuote(line.slice(before.length));
  return problem(match.index + line.length - rest.length, rest.length, wording);
}

/** Finds a bracket that opens a list or object and is not closed before the end, or before the next entry or key. */
function openBracket(source: string): YamlProblem | null {
  const form = /^([ -]*(?:[\w-]+: *)?)([[{])(?:[^\]}]*(?![\s\S])|[^\]}\n]*(?<!,)\n *(?:- |[\w-]+: ))/m;
  const match = form.exec(source);
  const closing = match?.[2] === '[' ? ']' : '}';
  return match && problem(match.index + (match[1] ?? '').length, 1, yamlMessages.bracketNotClosed(closing));
}

/** Finds a text whose start YAML takes for a block, a tag, a key, a list or an object. */
function markedText(source: string): YamlProblem | null {
  const form = /^([ -]*[\w-]+: +)([|>](?=[+-]?\d?[ \t]*[^\s#\d+-])|!|\?(?= )|[[{](?=[^\n[\]{}]*[\]}] *[^\s#,\]}]))/m;
  const match = form.exec(source);
  return match && problem(match.index + (match[1] ?? '').length, 1, yamlMessages.specialStart(match[2] ?? ''));
}

/** Words for what the parser says: its error code and its message. `line` is the rest of the line. */
const words: readonly [says: RegExp, wording: (line: string) => Wording][] = [
  [/^BLOCK_AS_IMPLICIT_KEY/, yamlMessages.colonInText],
  [/^BLOCK_IN_FLOW/, (line) => yamlMessages.colonInText(line.split(/[,\]}]/, 1)[0] ?? '')],
  [/^BAD_DQ_ESCAPE/, () => yamlMessages.wrongEscape],
  [/^MULTIPLE_DOCS/, () => yamlMessages.secondDocument],
  [/^BAD_INDENT/, () => yamlMessages.unevenIndent],
  [/^BAD_SCALAR_START|same line with key$/, (line) => yamlMessages.specialStart(line.slice(0, 1))],
  [/Sequence item without/, () => yamlMessages.entryWithoutHyphen],
  [/followed by map values$/, withoutColon],
  [/on a single line$/, (line) => withoutSpace(line) ?? yamlMessages.keyOverLines],
  [/flow-(?:seq|map)-end/, (line) => yamlMessages.bracketNotOpened(line.slice(0, 1))],
  [/Missing ,/, () => jsonMessages.commaMissing],
  [/Unexpected , in/, () => jsonMessages.extraComma],
  [/Missing closing/, () => yamlMessages.quoteNotClosed],
];

function wordsFor(code: string, line: string, reason: string): Wording {
  const [, wording] = words.find(([says]) => says.test(`${code} ${reason}`)) ?? [];
  return wording?.(line) ?? yamlMessages.notWellFormed(reason);
}

function withoutColon(line: string): Wording {
  const [, word = '', rest = ''] = /^([^\s=]+|\S*)[ \t=]*(.*)/.exec(line) ?? [];
  return withoutSpace(line) ?? yamlMessages.noColon(word, rest);
}

/** The words for a line that starts with a key without a space after its colon, or null. */
function withoutSpace(line: string): Wording | null {
  const [, key, value = ''] = /^([\w-]+):(\S.*)/.exec(line) ?? [];
  return key === undefined ? null : yamlMessages.noSpaceAfterColon(key, value);
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
  let anchored: { offset: number; name: string } | undefined;
  visit(document, {
    Node(_key, node) {
      if (isAlias(node)) anchored = { offset: node.range?.[0] ?? 0, name: `*${node.source}` };
      else if (node.anchor !== undefined)
        anchored = { offset: source.indexOf(`&${node.anchor}`), name: `&${node.anchor}` };
      return anchored === undefined ? undefined : visit.BREAK;
    },
  });
  return anchored;
}

/** Where YAML is malformed, and why; empty if the parser does not say. */
function markOf(source: string): { offset: number; reason: string } {
  try {
    parseYaml(source);
  } catch (error) {
    const { mark, reason } = error as { mark?: { position: number }; reason?: string };
    return { offset: mark?.position ?? 0, reason: reason ?? '' };
  }
  return { offset: 0, reason: '' };
}

/** The readable part of malformed YAML. */
interface RecoveredYaml {
  /** The values of the top-level keys that could be read. */
  data: Record<string, unknown>;
  /** The keys that exist but could not be read, so they must not be reported as missing. */
  unread: Set<string>;
  problems: YamlProblem[];
}

const maxProblems = 20;

/** Parses front matter that `parseYaml` rejected, one key at a time, so that one mistake does not hide another. */
export function recoverYaml(source: string): RecoveredYaml {
  const result: RecoveredYaml = { data: {}, unread: new Set(), problems: [] };
  for (const { text, start } of topLevelBlocks(source)) {
    // More errors would not help.
    if (result.problems.length === maxProblems) break;
    const problem = readBlock(text, result);
    if (problem === null) continue;
    result.problems.push({ ...problem, offset: start + problem.offset });
    for (const [, name = ''] of text.matchAll(/^\s*["']?([\w-]+)/gm)) result.unread.add(name);
  }
  if (result.problems.length === 0) result.problems.push(explainYaml(source));
  return result;
}

/** Adds the values of a block to the data, or returns its error. */
function readBlock(text: string, { data, unread }: RecoveredYaml): YamlProblem | null {
  const marker = conflictMarker(text);
  if (marker !== null) return marker;
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch {
    return explainYaml(text);
  }
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object' || Array.isArray(value)) return noKey(text);
  if (/^\s/.test(text)) return indentedKey(text, 0);
  for (const [key, item] of Object.entries(value)) {
    if (Object.hasOwn(data, key) || unread.has(key)) return duplicateKey(text, 0);
    data[key] = item;
  }
  return null;
}

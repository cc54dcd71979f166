import { findSecrets, maskSecrets } from '../../lib/secrets.ts';
import { visible } from '../../lib/text.ts';
import { type RuleCode, ruleSeverity } from '../rules.ts';

/** A range in a text. Lines and columns count from 1, columns in UTF-16 units. `length` is at least 1. */
export interface Location {
  line: number;
  column: number;
  length: number;
}

/** Returns the location of the `length` units at `offset` in `text`, cut at the end of the first line. */
export function locationAt(text: string, offset: number, length = 1): Location {
  const start = Math.max(0, Math.min(offset, text.length));
  // Offset 0 needs its own case: lastIndexOf treats -1 as 0, and would find a newline that is the first unit.
  const lineStart = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
  const line = countNewlines(text, lineStart) + 1;
  const lineEnd = text.indexOf('\n', start);
  const rest = (lineEnd === -1 ? text.length : lineEnd) - start;
  return { line, column: start - lineStart + 1, length: Math.max(1, Math.min(length, rest)) };
}

/** Adds the location of the `length` units at `offset` in `text` to the words about them. */
export function located<const Words extends object>(
  text: string,
  offset: number,
  length: number,
  words: Words,
): Words & { location: Location } {
  return { ...words, location: locationAt(text, offset, length) };
}

/** Returns the lines around a location, with the range marked. Empty if the location is outside the text. */
export function codeFrame(text: string, { line, column, length }: Location): string {
  const lines = text.split(/\r?\n/);
  if (line > lines.length) return '';
  const first = Math.max(1, line - 1);
  const last = Math.min(lines.length, line + 1);
  const width = String(last).length;
  const frame: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const { shown, from } = excerpt(lines[number - 1] ?? '', number === line ? column : 1);
    frame.push(`${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${shown}`.trimEnd());
    if (number === line) {
      const marked = shown.slice(column - from, column - from + length);
      const before = cells(shown.slice(0, column - from).padEnd(column - from));
      frame.push(`  ${' '.repeat(width)} | ${' '.repeat(before)}${'^'.repeat(cells(marked) || 1)}`);
    }
  }
  return frame.join('\n');
}

const maxWidth = 100;

/** Counts the cells that a text takes in a terminal. Emojis are two units and two cells. */
function cells(text: string): number {
  const wide = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6]/g;
  return text.replace(wide, '  ').replace(/[\p{Mn}\u200C\u200D]/gu, '').length;
}

/**
 * Returns the part of a line around a column that fits, with control characters replaced, except for joiners within Persian
 * words, emoji and the like. `from` is its first column.
 */
function excerpt(line: string, column: number): { shown: string; from: number } {
  const from = column <= maxWidth - 20 ? 1 : column - 40;
  const part = line.slice(from - 1, from - 1 + maxWidth);
  return { shown: part.replace(/(?!(?<=[^ -~])[\u200C\u200D])[\p{Cc}\p{Cf}]/gu, '�'), from };
}

function countNewlines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The words of a problem. All of them are in ../messages/. */
export interface Wording {
  /** The problem, as a sentence. */
  message: string;
  /** How to fix it. */
  hint: string;
}

/** A problem and its location, in a file that is known. */
export interface LocatedWording extends Wording {
  location: Location;
}

/** The words of the diagnostics of one subject. Facts are passed to those that name them. */
export type Messages = Record<string, Wording | ((...facts: never[]) => Wording)>;

/** One problem that an editor has to fix. */
export interface Diagnostic extends Wording {
  /** The permanent name of the broken rule. */
  code: RuleCode;
  severity: 'error' | 'warning';
  /** Path from the catalog folder, with slashes. */
  file: string;
  /** Lines and columns count from 1. `endColumn` is the column after the end of the range. */
  line: number;
  column: number;
  endColumn: number;
  /** The surrounding lines with the range marked; empty if there are none to show. */
  frame: string;
  /** The agent, or null if the problem concerns the whole catalog. */
  slug: string | null;
}

/** A problem that a check found, and its fix. The rule determines the severity. */
export interface Finding extends Wording {
  code: RuleCode;
  file: string;
  /** The text of the file, for the code frame. */
  text?: string | undefined;
  location?: Location | undefined;
  slug?: string | null;
}

/** Reports a problem in the file of an agent with this name. */
export type Report = (name: string, code: RuleCode, wording: Wording, location?: Location) => void;

/**
 * Turns a finding into a diagnostic, with its severity, position and code frame. Without a location, the position is
 * the start of the file.
 *
 * Secrets are masked everywhere, because many people read logs. Message and hint become one line each.
 */
export function diagnose({ code, file, text, location, message, hint, slug }: Finding): Diagnostic {
  const at = location ?? { line: 1, column: 1, length: 1 };
  return {
    code,
    severity: ruleSeverity(code),
    file,
    line: at.line,
    column: at.column,
    endColumn: at.column + at.length,
    message: maskSecrets(visible(message)),
    hint: maskSecrets(visible(hint)),
    frame: text === undefined || location === undefined ? '' : codeFrame(maskShown(maskSecrets(text), at), at),
    slug: slug ?? null,
  };
}

/** Masks the lines around a location that write a secret with escapes, which `maskSecrets` does not recognize. */
function maskShown(text: string, { line }: Location): string {
  if (!/[\\&%]/.test(text)) return text;
  const isShown = (index: number) => Math.abs(index + 1 - line) <= 1;
  return text
    .split('\n')
    .map((written, index) =>
      isShown(index) && findSecrets(unescaped(written)).length > 0 ? written.replace(/\S/g, '*') : written,
    )
    .join('\n');
}

/** Decodes the escapes of JSON, YAML, Markdown and addresses, and leaves out other backslashes. */
function unescaped(line: string): string {
  return line
    .replace(/\\U000([\da-fA-F]{5})|\\u([\da-fA-F]{4})|\\x([\da-fA-F]{2})|%([\da-fA-F]{2})/g, decoded)
    .replace(/&#[xX]([\da-fA-F]{1,5});/g, decoded)
    .replace(/&#(\d{1,6});/g, (_, number) => String.fromCodePoint(Number(number)))
    .replaceAll('\\', '');
}

/** The character with the hexadecimal number that one of the groups of a match has. */
function decoded(_match: string, ...groups: (string | number | undefined)[]): string {
  const digits = groups.slice(0, -2).join('');
  return String.fromCodePoint(Number.parseInt(digits, 16));
}

import { findSecrets, maskSecrets } from '../../lib/secrets.ts';
import { visible } from '../../lib/text.ts';
import { type RuleCode, ruleSeverity } from '../rules.ts';
import { codeFrame, type Location } from './location.ts';

/** The words of a problem. Those of every diagnostic are in ../messages/, or in ./values.ts if a schema finds it. */
export interface Wording {
  /** What is wrong. */
  message: string;
  /** How to fix it. */
  hint: string;
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
  text?: string;
  location?: Location;
  slug?: string | null;
}

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

import { compareText } from '../compare.ts';
import { visible } from '../text-safety/printable.ts';
import { maskSecrets } from '../text-safety/secrets.ts';
import type { RuleCode } from './codes.ts';
import { ruleSeverity } from './codes.ts';
import { codeFrame, type Location } from './source-location.ts';

/** One thing that an editor has to mend. */
export interface Diagnostic {
  /** A permanent name of the rule that is broken. */
  code: RuleCode;
  severity: 'error' | 'warning';
  /** Path from the catalog's folder, with slashes. */
  file: string;
  /** From 1; `endColumn` is the column after the last one meant. */
  line: number;
  column: number;
  endColumn: number;
  /** What is wrong. */
  message: string;
  /** How to mend it. */
  hint: string;
  /** The lines around it with a mark, or an empty text where there are none to show. */
  frame: string;
  /** The agent concerned, or null where it is the publication as a whole. */
  slug: string | null;
}

/** What a check finds: where, what and how to mend it. The rule gives the severity. */
export interface Finding {
  code: RuleCode;
  file: string;
  /** The text of the file, for the code frame. */
  text?: string;
  location?: Location;
  message: string;
  hint: string;
  slug?: string | null;
}

/**
 * Makes a finding complete: its severity, position and code frame. Without a location it stands at the file's start.
 *
 * Secrets are masked in everything it says, since logs are read by many; message and hint are one line each.
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
    frame: text === undefined || location === undefined ? '' : codeFrame(maskSecrets(text), at),
    slug: slug ?? null,
  };
}

/** Sorts by file, line, column, code: the order in which they are reported. The input is not changed. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort(
    (a, b) => compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.code, b.code),
  );
}

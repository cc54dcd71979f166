import { compareText } from '../compare.ts';
import type { Diagnostic } from './diagnostic.ts';

/** Returns the diagnostics in the order in which they are reported: by file, line, column and code. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort(
    (a, b) => compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.code, b.code),
  );
}

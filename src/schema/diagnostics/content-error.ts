import { compareText } from '../../lib/text.ts';
import type { Diagnostic } from './diagnostic.ts';

/** Returns the diagnostics in the order in which they are reported: by file, line, column and code. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort(
    (a, b) => compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.code, b.code),
  );
}

/**
 * Returns a text that diagnostics share if they say the same of the same place. It has no code frame: with thousands of
 * errors, frames take longer than everything else.
 */
export function identityOf({ file, line, column, code, message }: Diagnostic): string {
  return [file, line, column, code, message].join('\0');
}

/** Errors in the catalog stop a command. The CLI prints the diagnostics and exits with 1. */
export class ContentError extends Error {
  override readonly name = 'ContentError';
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(({ code, file }) => `${code} in ${file}`).join(', '));
    this.diagnostics = sortDiagnostics(diagnostics);
  }
}

import type { Diagnostic } from './diagnostics.ts';
import { sortDiagnostics } from './diagnostics.ts';

/** The forms in which diagnostics are printed. */
export const reportFormats = ['pretty', 'json', 'github'] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** Diagnostics for people: sorted by file and line, with code frames, then a line that counts them. */
export function prettyReport(diagnostics: readonly Diagnostic[], { color }: { color: boolean }): string {
  const paint = painter(color);
  const blocks = sortDiagnostics(diagnostics).map((diagnostic) => {
    const { file, line, column, severity, code, message, hint, frame } = diagnostic;
    const head = `${paint('bold', `${file}:${line}:${column}`)}  ${paint(severity === 'error' ? 'red' : 'yellow', severity)}  ${paint('dim', code)}`;
    return [head, `  ${message}`, ...indent(frame), ...indent(hint)].join('\n');
  });
  return [...blocks, summary(diagnostics)].filter((block) => block !== '').join('\n\n');
}

/** The same for programs. */
export function jsonReport(diagnostics: readonly Diagnostic[]): string {
  return JSON.stringify({ ok: !hasErrors(diagnostics), diagnostics: sortDiagnostics(diagnostics) }, null, 2);
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

/** "2 errors, 1 warning", or an empty text when there is nothing. */
export function summary(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const counts = [plural(errors, 'error'), plural(diagnostics.length - errors, 'warning')];
  return counts.filter((count) => !count.startsWith('0 ')).join(', ');
}

/** "1 agent", "2 agents". */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function indent(text: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => (line === '' ? '' : `  ${line}`));
}

const styles = { bold: 1, dim: 2, red: 31, yellow: 33 };

/** Gives text a style by terminal escapes, or leaves it as it is. */
export function painter(color: boolean) {
  return (style: keyof typeof styles, text: string) => (color ? `\u001b[${styles[style]}m${text}\u001b[0m` : text);
}

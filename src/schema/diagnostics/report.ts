import { groupBy } from '../../lib/groups.ts';
import { plural, visible } from '../../lib/text.ts';
import { programPage } from '../../program.ts';
import { sortDiagnostics } from './content-error.ts';
import type { Diagnostic } from './diagnostic.ts';

/**
 * Formats diagnostics for people: sorted by file and line, with code frames, and with the totals at the end. The problems of
 * one cause are one message with a list of places.
 */
export function prettyReport(diagnostics: readonly Diagnostic[], { color }: { color: boolean }): string {
  const paint = painter(color);
  const blocks = byCause(sortDiagnostics(diagnostics)).map(([first, ...others]) => {
    const { file, line, column, severity, code, message, hint, frame } = first;
    const head = `${paint('bold', `${visible(file)}:${line}:${column}`)}  ${paint(severity === 'error' ? 'red' : 'yellow', severity)}  ${paint('dim', code)}`;
    return [head, `  ${message}`, ...indent(frame), ...indent(hint), ...indent(alsoAt(others, first))].join('\n');
  });
  return [...blocks, summary(diagnostics)].filter((block) => block !== '').join('\n\n');
}

/** Groups diagnostics with the same fix whose messages differ at most in names, values and numbers. */
function byCause(diagnostics: readonly Diagnostic[]): Group[] {
  return groupsOf(diagnostics, ({ severity, code, message, hint }) => [
    ...[severity, code, hint],
    message.replace(/`[^`]*`|"[^"]*"|[\w.-]+\.\w+|\d+/g, '*'),
  ]);
}

/** Lists further places of a problem: a line for each file, and for each message that says more than the first one. */
function alsoAt(others: readonly Diagnostic[], first: Diagnostic): string {
  if (others.length === 0) return '';
  const words = ({ file, message }: Diagnostic) => message.replaceAll(file.slice(file.lastIndexOf('/') + 1), '');
  const lines = groupsOf(others, (other) => [other.file, words(other)]).map((group) => {
    const [{ file, message }] = group;
    const difference = words(group[0]) === words(first) ? '' : `  ${message}`;
    return `  ${visible(file)}:${group.map(({ line, column }) => `${line}:${column}`).join(', ')}${difference}`;
  });
  return [`Also in ${plural(others.length, 'other place')}:`, ...lines].join('\n');
}

type Group = [Diagnostic, ...Diagnostic[]];

/** Groups diagnostics for which `keyOf` gives the same, in the order of the first ones. */
function groupsOf(diagnostics: readonly Diagnostic[], keyOf: (diagnostic: Diagnostic) => string[]): Group[] {
  return [...groupBy(diagnostics, (diagnostic) => [JSON.stringify(keyOf(diagnostic))]).values()] as Group[];
}

/** Formats diagnostics for programs. `url` explains the rule. */
export function jsonReport(diagnostics: readonly Diagnostic[]) {
  const explained = sortDiagnostics(diagnostics).map((diagnostic) => ({
    ...diagnostic,
    url: `${programPage('docs/rules.md')}#${diagnostic.code.replaceAll('/', '')}`,
  }));
  return { ok: !hasErrors(diagnostics), diagnostics: explained };
}

/**
 * Formats diagnostics as annotations for GitHub Actions, errors first. GitHub shows at most ten of each level for a
 * step, so the tenth says how many more there are.
 *
 * `prefix` is the path from the root of the repository to the catalog folder: empty, or ending in a slash.
 */
export function githubReport(diagnostics: readonly Diagnostic[], prefix: string): string {
  const sorted = sortDiagnostics(diagnostics);
  return (['error', 'warning'] as const)
    .flatMap((level) => {
      const all = sorted.filter(({ severity }) => severity === level);
      const shown = all.length > shownPerLevel ? all.slice(0, shownPerLevel - 1) : all;
      const lines = shown.map((diagnostic) => annotation(diagnostic, prefix));
      const left = all.length - shown.length;
      if (left > 0)
        lines.push(
          `::${level} title=And ${left} more::${escapeData(`${plural(left, `more ${level}`)}: run npx --no daily-agent-catalog validate to see all of them.`)}`,
        );
      return lines;
    })
    .join('\n');
}

const shownPerLevel = 10;

function annotation({ severity, file, line, column, endColumn, code, message, hint }: Diagnostic, prefix: string) {
  const properties = { file: prefix + file, line, col: column, endColumn, title: code };
  const escaped = (value: unknown) => escapeData(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escaped(value)}`);
  return `::${severity} ${list.join(',')}::${escapeData(hint === '' ? message : `${message}\n${hint}`)}`;
}

/** Escapes a text for a workflow command of GitHub Actions. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

/** Counts diagnostics, as in "2 errors, 1 warning". Empty if there are none. */
export function summary(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const counts = [plural(errors, 'error'), plural(diagnostics.length - errors, 'warning')];
  return counts.filter((count) => !count.startsWith('0 ')).join(', ');
}

function indent(text: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => (line === '' ? '' : `  ${line}`));
}

const styles = { bold: 1, dim: 2, red: 31, yellow: 33 };

/** Returns a function that styles text with terminal escapes or, without `color`, returns it unchanged. */
export function painter(color: boolean) {
  return (style: keyof typeof styles, text: string) => (color ? `\u001b[${styles[style]}m${text}\u001b[0m` : text);
}

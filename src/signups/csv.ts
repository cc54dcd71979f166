import type { SignupEntry } from './export.ts';

/**
 * The entries as CSV (RFC 4180): time, email, list, note, with a header, CRLF, and every field in quotes. Several
 * notes stand on lines of their own.
 *
 * What a spreadsheet would take for a formula gets an apostrophe before it. An address may start with + too; a program
 * that needs it unchanged reads the JSON.
 */
export function toCsv(entries: readonly SignupEntry[]): string {
  const rows = entries.map(({ time, email, list, notes }) => [time, email, list, notes.join('\n')]);
  return [['time', 'email', 'list', 'note'], ...rows].map((row) => `${row.map(quote).join(',')}\r\n`).join('');
}

function quote(text: string): string {
  return `"${defuse(text).replaceAll('"', '""')}"`;
}

/**
 * Formulas start with one of = + - @ or their full-width forms. Not only at the start of a field: programs that split
 * at semicolons or tabs, as in many countries, see the start of a field elsewhere (owasp.org, CSV injection).
 */
function defuse(text: string): string {
  return text.replace(/(^|[;\t\r\n])([\s"']*)(?=[=+\-@＝＋－＠])/g, "$1$2'");
}

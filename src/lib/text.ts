/**
 * Compares texts by their UTF-16 units, for use with sort. The order is the same on every machine and in every locale.
 */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The text of a file as the site serves it: with LF line endings and no byte-order mark. */
export function servedText(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

/** Escapes a text for the content of an HTML element, and leaves quotes as they are. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** "1 agent", "2 agents". */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Characters that control a terminal or reorder text: controls other than tab and newline, direction marks, and line
 * separators. A carriage return counts only if no newline follows.
 */
const obeyed = /(?![\t\n]|\r\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** The styles that `painter` of diagnostics/report.ts writes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for the escape character.
const styles = /(\u001b\[(?:0|1|2|31|33)m)/;

/**
 * Makes text safe to print, even if strangers wrote parts of it: nothing in it controls the terminal except our styles,
 * if `color` is set, and GitHub Actions runs no line as a command unless `commands` is set, for our own (`::error …`).
 */
export function printable(text: string, { color = false, commands = false } = {}): string {
  const parts = color ? text.split(styles) : [text];
  const shown = parts.map((part, index) => (index % 2 === 1 ? part : part.replace(obeyed, '\ufffd'))).join('');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
  const lines = commands ? shown : shown.replace(/^((?:[^\S\n\r\u2028\u2029]|\u001b\[\d+m)*)::/gm, '$1: :');
  return lines.replaceAll('##[', '## [');
}

/** Turns any text into one safe line. */
export function visible(text: string): string {
  return text
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .replace(obeyed, '\ufffd')
    .trim();
}

/**
 * Renders JSON that is safe to print, on one line if `indent` is 0: what `printable` would change is escaped, so that the
 * value stays the same.
 */
export function printableJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent)
    .replace(obeyed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('##[', '##\\u005b');
}

/**
 * Renders a table as CSV (RFC 4180): the header and each row are a line that ends with CRLF. Texts with a separator, a
 * quote or a line break are quoted.
 *
 * Readers may write any text, and a spreadsheet runs texts that start like a formula (OWASP, CSV injection). An
 * apostrophe is put before such a text. Programs that need it unchanged can read the JSON.
 */
export function csv(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [header, ...rows].map((cells) => `${cells.map(field).join(',')}\r\n`).join('');
}

/**
 * Renders rows as columns for a terminal, without a newline at the end. The first column is aligned left, and so are the
 * others unless they are `numeric`.
 */
export function columnsText(rows: readonly (readonly string[])[], { numeric = false } = {}): string {
  const widthOf = (column: number) => rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0);
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column));
  const aligned = (cell: string, column: number) =>
    numeric && column > 0 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return rows.map((row) => row.map(aligned).join('  ').trimEnd()).join('\n');
}

function field(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const safe = defuse(cell);
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Formulas start with one of = + - @ or their full-width forms. In many countries, programs split at semicolons or
 * tabs, and so find fields within ours.
 */
function defuse(text: string): string {
  return text.replace(/(^|[;\t\r\n])([\s"']*)(?=[=+\-@＝＋－＠])/g, "$1$2'");
}

/**
 * Writes one line of text as a YAML scalar: without quotes if every parser of YAML 1.1 and 1.2 reads it unchanged, and
 * otherwise in double quotes. JSON escapes are valid there (YAML 1.2, section 7.3.1).
 */
export function yamlText(text: string): string {
  const bare = /^\p{L}[\p{L}\p{N} ,.()'/-]*$/u.test(text) && !text.endsWith(' ');
  return bare && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text) ? text : JSON.stringify(text);
}

/** The same for a list, on one line. */
export function yamlList(texts: readonly string[]): string {
  return `[${texts.map((text) => (text.includes(',') ? JSON.stringify(text) : yamlText(text))).join(', ')}]`;
}

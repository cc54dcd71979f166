/**
 * Renders a table as CSV (RFC 4180): the header and each row on a line that ends with CRLF. Texts are quoted where a
 * separator, a quote or a line break is in them.
 *
 * Readers may write any text, and a spreadsheet runs one that starts like a formula (OWASP, CSV injection). Such a text
 * gets an apostrophe before it; a program that needs it unchanged reads the JSON.
 */
export function csv(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [header, ...rows].map((cells) => `${cells.map(field).join(',')}\r\n`).join('');
}

function field(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const safe = defuse(cell);
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Formulas start with one of = + - @ or their full-width forms. A program that splits at semicolons or tabs, as is usual
 * in many countries, sees fields begin where this file has none.
 */
function defuse(text: string): string {
  return text.replace(/(^|[;\t\r\n])([\s"']*)(?=[=+\-@＝＋－＠])/g, "$1$2'");
}

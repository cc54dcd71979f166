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

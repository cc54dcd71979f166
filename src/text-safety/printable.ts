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

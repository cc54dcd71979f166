/**
 * What a terminal obeys, or turns the order of text with: controls but tab and newline, marks of direction, and
 * separators of lines. A carriage return is one only where no newline follows.
 */
const obeyed = /(?![\t\n]|\r\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** The styles that `painter` of diagnostics/report.ts writes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for.
const styles = /(\u001b\[(?:0|1|2|31|33)m)/;

/**
 * Text as it can be printed, whoever wrote parts of it: a terminal obeys none of it but our styles, with `color`, and
 * GitHub Actions takes no line of it for a command. With `commands` its lines are commands (`::error …`) of our own.
 */
export function printable(text: string, { color = false, commands = false } = {}): string {
  const parts = color ? text.split(styles) : [text];
  const shown = parts.map((part, index) => (index % 2 === 1 ? part : part.replace(obeyed, '\ufffd'))).join('');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
  const lines = commands ? shown : shown.replace(/^((?:\s|\u001b\[\d+m)*)::/gm, '$1: :');
  return lines.replaceAll('##[', '## [');
}

/** One harmless line of a text that anybody may have written. */
export function visible(text: string): string {
  return text
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .replace(obeyed, '\ufffd')
    .trim();
}

/** JSON in which escapes stand for what `printable` would change, so that it can be printed and says the same. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(obeyed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('##[', '##\\u005b');
}

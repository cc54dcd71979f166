/** A range in a text. Lines and columns count from 1, columns in UTF-16 units. `length` is at least 1. */
export interface Location {
  line: number;
  column: number;
  length: number;
}

/** Returns the location of the `length` units at `offset` in `text`, cut at the end of the first line. */
export function locationAt(text: string, offset: number, length = 1): Location {
  const start = Math.max(0, Math.min(offset, text.length));
  // Offset 0 needs its own case: lastIndexOf treats -1 as 0, and would find a newline that is the first unit.
  const lineStart = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
  const line = countNewlines(text, lineStart) + 1;
  const lineEnd = text.indexOf('\n', start);
  const rest = (lineEnd === -1 ? text.length : lineEnd) - start;
  return { line, column: start - lineStart + 1, length: Math.max(1, Math.min(length, rest)) };
}

/** Adds the location of the `length` units at `offset` in `text` to the words about them. */
export function located<const Words extends object>(
  text: string,
  offset: number,
  length: number,
  words: Words,
): Words & { location: Location } {
  return { ...words, location: locationAt(text, offset, length) };
}

/** Returns the lines around a location, with the range marked. Empty if the location is outside the text. */
export function codeFrame(text: string, { line, column, length }: Location): string {
  const lines = text.split(/\r?\n/);
  if (line > lines.length) return '';
  const first = Math.max(1, line - 1);
  const last = Math.min(lines.length, line + 1);
  const width = String(last).length;
  const frame: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const { shown, from } = excerpt(lines[number - 1] ?? '', number === line ? column : 1);
    frame.push(`${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${shown}`.trimEnd());
    if (number === line) {
      const marks = '^'.repeat(Math.max(1, Math.min(length, maxWidth - (column - from))));
      frame.push(`  ${' '.repeat(width)} | ${' '.repeat(column - from)}${marks}`);
    }
  }
  return frame.join('\n');
}

const maxWidth = 100;

/**
 * Returns the part of a line around a column that fits, with control characters replaced. `from` is its first column.
 */
function excerpt(line: string, column: number): { shown: string; from: number } {
  const from = column <= maxWidth - 20 ? 1 : column - 40;
  const visible = line.slice(from - 1, from - 1 + maxWidth).replace(/[\p{Cc}\p{Cf}]/gu, '�');
  return { shown: visible, from };
}

function countNewlines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

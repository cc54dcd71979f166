import { linesOf } from '../agent-text/prompt-text.ts';

/**
 * Mechanical changes to texts. None of them changes what an agent means: code fences, code spans and line breaks of
 * Markdown stay as they are.
 */

export function withoutByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Ends a text with exactly one newline, without blank lines before it. */
export function withFinalNewline(text: string): string {
  const lineEnd = text.indexOf('\n', text.trimEnd().length);
  return `${lineEnd === -1 ? text : text.slice(0, lineEnd)}\n`;
}

/** Removes spaces at the ends of lines. With `markdown`, it keeps those that break a line: two or more before more text. */
export function withoutTrailingSpaces(text: string, { markdown = false } = {}): string {
  const { lines } = linesOf(text);
  return lines
    .map(({ text: line, fenced }, index) => {
      const breaks = markdown && /\S {2,}$/.test(line) && (lines[index + 1]?.text ?? '').trim() !== '';
      return fenced || breaks ? line : line.replace(/(?<![ \t])[ \t]+$/, '');
    })
    .join('\n');
}

/**
 * Replaces curly quotes by straight ones where they are an apostrophe within a word, or enclose text on one line.
 * Others may be meant, and so may all of them in a text about quotes.
 */
export function withStraightQuotes(text: string): string {
  if (/curly|typograph|smart quote/i.test(text)) return text;
  return linesOf(text)
    .lines.map(({ text: line, fenced }) =>
      fenced
        ? line
        : line
            .split(/(`[^`]*`)/)
            .map(straight)
            .join(''),
    )
    .join('\n');
}

/** `index` is odd for code spans. */
function straight(part: string, index: number): string {
  if (index % 2 === 1) return part;
  const enclosed = (mark: string) => (all: string, text: string) =>
    /[\p{L}\p{N}]/u.test(text) ? mark + text + mark : all;
  return part
    .replace(/(?<=[\p{L}\p{N}])’(?=\p{L})/gu, "'")
    .replace(/“([^“”"]*)”/g, enclosed('"'))
    .replace(/‘([^‘’']*)’/g, enclosed("'"));
}

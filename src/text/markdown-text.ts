/** Writes Markdown, for the Markdown versions of pages and the text indexes. */

/** Puts a text into a code fence that it cannot close (CommonMark, section 4.5). */
export function fenced(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.replace(/(?<!\n)\n+$/, '')}\n${fence}`;
}

/**
 * Escapes text so that it stays plain in Markdown, even within a link or a heading: nothing becomes a link, an image,
 * HTML, an entity, emphasis, a heading, a quote, a list, a table or code. Spaces before a line, which nobody sees on a
 * page, are removed. Underscores within words are not emphasis (CommonMark, section 6.2).
 */
export function plainText(text: string): string {
  if (!mayNeedEscape.test(text)) return text;
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/^[ \t]+/gm, '')
    .replace(/[\\[\]<`*]|&(?=#?\w+;)|~(?:(?<=~~)|(?=~))|_(?:(?<![\p{L}\p{N}]_)|(?![\p{L}\p{N}]))/gu, '\\$&')
    .replace(/^(?:[#>]|[-+](?=[ \t-]|$)|=(?==*[ \t]*$))/gm, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=[ \t]|$)/gm, '$1\\$2')
    .replace(tableRow, '\\$&')
    .replace(/#(?<=[ \t]#)(?=#*[ \t]*$)/gm, '\\#');
}

/** Everything that `plainText` changes contains one of these. Most texts have none, which saves the slower search. */
const mayNeedEscape = /[\\[\]<`*&~_\r]|[ \t]#|^[ \t#>+=|:-]|^\d{1,9}[.)]/m;

/**
 * Divides a short text of an agent, such as a step, into code, which is between backquotes, and other text, whose quotes
 * become typographic. Pages, Markdown and emails show it alike.
 */
export function inlineParts(text: string): { code: boolean; text: string }[] {
  if (!/[`"']/.test(text)) return text === '' ? [] : [{ code: false, text }];
  return text
    .split(/`([^`\n]+)`/)
    .map((part, index) =>
      index % 2 === 1 ? { code: true, text: part } : { code: false, text: withTypographicQuotes(part, index > 0) },
    )
    .filter(({ text }) => text !== '');
}

/** Replaces straight quotes. One that neither starts nor ends a quotation, such as in 5", stays. */
function withTypographicQuotes(text: string, afterCode: boolean): string {
  let isOpen = false;
  return text.replace(/["']/g, (mark, at: number) => {
    const before = at === 0 ? (afterCode ? '`' : ' ') : (text[at - 1] ?? '');
    const starts = /[\s([{<–—/"'“‘-]/.test(before);
    if (mark === "'") return starts && /\S'(?![\p{L}\p{N}])/u.test(text.slice(at + 1)) ? '‘' : '’';
    if (starts) isOpen = true;
    else if (!isOpen && !afterCode) return mark;
    else isOpen = false;
    return starts ? '“' : '”';
  });
}

/** Writes a short text of an agent as plain text. */
export function inlineText(text: string): string {
  return inlineParts(text)
    .map(({ code, text }) => (code ? `\`${text}\`` : text))
    .join('');
}

/** The start of the line below the head of a table. */
const tableRow = /^(?:-(?=[|:][|: \t-]*$)|[|:](?=[|: \t]*-[|: \t-]*$))/gm;

/** Writes a list item. Every line of its text belongs to it. `marker` is `-`, or a number with a period. */
export function listItem(marker: string, markdown: string): string {
  return `${marker} ${markdown.includes('\n') ? markdown.replace(/\n(?!\n|$)/g, `\n${' '.repeat(marker.length + 1)}`) : markdown}`;
}

/** Writes a quote. */
export function quote(markdown: string): string {
  const lines = markdown.trimEnd().split('\n');
  return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
}

/** The longest start of a text, in characters. */
const longestStart = 900;

/** The first lines of a text. Only the first line is ever cut. */
export function startOf(text: string, most: number): string {
  const [first = '', ...others] = text.split('\n', most);
  // A text with more than one UTF-16 unit for some characters is cut between characters.
  let start = first.length <= longestStart ? first : [...first].slice(0, longestStart).join('');
  for (const line of others) {
    if (start.length + line.length > longestStart) break;
    start += `\n${line}`;
  }
  return start.trimEnd();
}

/** Shortens a text to at most `most` code points, at the end of a word if possible. */
export function shortened(text: string, most: number): string {
  // No text has more code points than UTF-16 units.
  if (text.length <= most) return text;
  const points = [...text];
  if (points.length <= most) return text;
  const cut = points.slice(0, most - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > 0 ? cut.slice(0, space) : cut}…`;
}

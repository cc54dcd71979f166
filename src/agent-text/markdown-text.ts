import { linesOf } from './prompt-sections.ts';

/** Writes Markdown, for the Markdown versions of pages and the text indexes. */

/** Puts a text into a code fence that it cannot close (CommonMark, section 4.5). */
export function fenced(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.replace(/\n+$/, '')}\n${fence}`;
}

/**
 * Escapes text so that it stays plain in Markdown, even within a link: nothing becomes a link, an image, HTML, an
 * entity, emphasis, a heading, a quote, a list or a fence. Underscores within words are not emphasis (CommonMark,
 * section 6.2).
 */
export function plainText(text: string): string {
  return text
    .replace(/[\\[\]<`*]|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(/^( {0,3})([#>]|~{3}|={3}|[-+](?=[ -]|$))/gm, '$1\\$2')
    .replace(/^( {0,3}\d{1,9})([.)])(?= |$)/gm, '$1\\$2');
}

/** Shifts the headings with # outside code fences, so that the highest has `level`. */
export function demoteHeadings(markdown: string, level: number): string {
  const { lines } = linesOf(markdown);
  const depths = lines.map(({ text, fenced }) => (fenced ? 0 : (/^(#{1,6})(?= |$)/.exec(text)?.[1]?.length ?? 0)));
  const highest = Math.min(level, ...depths.filter((depth) => depth > 0));
  return lines
    .map(({ text }, index) => {
      const depth = depths[index] ?? 0;
      return depth === 0 ? text : '#'.repeat(Math.min(6, depth - highest + level)) + text.slice(depth);
    })
    .join('\n');
}

import { printable, visible } from '../text-safety/printable.ts';

/**
 * Text of strangers as it may stand in Markdown on GitHub, also in a cell of a table: on one line, with nothing in it
 * that makes a link, a tag, a mention or a new cell.
 */
export function markdownText(text: string): string {
  return visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*_[\]{}()#+!|~:$]/g, '\\$&')
    .replace(/@(?=\w)/g, '@&#8203;')
    .replace(/(?<=\w)\.(?=\w)/g, '&#46;');
}

/** Lines as they are, in a fence that nothing in them closes. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${printable(text)}\n${fence}`;
}

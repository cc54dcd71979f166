import { fenced as fencedText } from '../agent-text/markdown-text.ts';
import { printable, visible } from '../text-safety/printable.ts';

/**
 * Escapes text of strangers for Markdown on GitHub, also in the cell of a table: it stays on one line and makes no link,
 * tag, mention or further cell.
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

/** Lines in a code fence that none of them closes. */
export function fenced(text: string): string {
  return fencedText(printable(text));
}

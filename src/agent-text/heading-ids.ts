import type { Token } from './markdown.ts';

/** The start of the ids of headings in an agent's text. No other id on a page starts with it. */
const prefix = 'how-it-works-';

/**
 * Gives an id to each heading of an agent's text: the prefix and the words of its title, and a number if they repeat.
 * `tokens` are the blocks of the text.
 */
export function headingIds(tokens: readonly Token[]): string[] {
  const titles = tokens.filter((_, index) => tokens[index - 1]?.type === 'heading_open');
  const ids = new Set<string>();
  for (const { content } of titles) {
    const words = content.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['section'];
    const first = prefix + words.join('-');
    let id = first;
    for (let count = 2; ids.has(id); count += 1) id = `${first}-${count}`;
    ids.add(id);
  }
  return [...ids];
}

/**
 * The id of the heading that a link in the same text means, or null. Authors write the words of a title, as in
 * `#when-not-to-use-it`. `hash` is the part of an address from `#` on.
 */
export function headingOfHash(hash: string, ids: readonly string[]): string | null {
  return ids.find((id) => encodeURI(id) === prefix + hash.slice(1)) ?? null;
}

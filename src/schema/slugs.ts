import { maxSlugLength } from './fields.ts';

/** Makes a slug from a title: its words in lower case without accents. Empty if the title has no such words. */
export function slugFrom(title: string): string {
  const plain = title
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .replaceAll('ß', 'ss')
    .toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  let slug = '';
  for (const word of words) {
    const longer = slug === '' ? word.slice(0, maxSlugLength) : `${slug}-${word}`;
    if (longer.length > maxSlugLength) break;
    slug = longer;
  }
  return slug;
}

/** Makes a title from a slug: "release-notes" → "Release Notes". */
export function titleFrom(slug: string): string {
  return slug
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/** Tags for a slug with too few words, which an editor has to replace. */
export const fillerTags = ['new-agent', 'untagged'];

/** Suggests two or three tags: the longer words of the slug that are not categories. */
export function tagsFrom(slug: string, categories: readonly string[]): string[] {
  const words = slug.split('-').filter((word) => word.length > 3 && !categories.includes(word));
  const tags = [...new Set(words)].slice(0, 3);
  const fill = fillerTags.filter((word) => !categories.includes(word) && !tags.includes(word));
  return tags.length < 2 ? [...tags, ...fill].slice(0, 2) : tags;
}

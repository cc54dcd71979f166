import { maxSlugLength } from './fields.ts';

/** The slug that a title suggests: its words in lower case without accents; an empty text when it has none. */
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

/** The title that a slug suggests: "release-notes" → "Release Notes". */
export function titleFrom(slug: string): string {
  return slug
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/** Two or three tags to start with: the longer words of the slug that are no categories. */
export function tagsFrom(slug: string, categories: readonly string[]): string[] {
  const words = slug.split('-').filter((word) => word.length > 3 && !categories.includes(word));
  const tags = [...new Set(words)].slice(0, 3);
  const fill = ['new-agent', 'untagged'].filter((word) => !categories.includes(word) && !tags.includes(word));
  return tags.length < 2 ? [...tags, ...fill].slice(0, 2) : tags;
}

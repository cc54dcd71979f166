import type { Settings } from '../../schema/settings.ts';

/** The accent colors on a light background, as in the stylesheet: `[data-accent="1"]` and so on. */
export const accentColors = [
  '#a6331b',
  '#1f5096',
  '#1f633b',
  '#7f2c6c',
  '#7a5200',
  '#0c6166',
  '#4b40a6',
  '#79442a',
  '#55600f',
  '#9b2046',
] as const;

/**
 * The number of a category's accent color, from 1, by its position in the settings: any categories get colors. After
 * the last color, they start again. An unknown category has the first.
 */
export function accentOf({ categories }: Pick<Settings, 'categories'>, category: string): number {
  return (Math.max(0, Object.keys(categories).indexOf(category)) % accentColors.length) + 1;
}

/** The accent color of a category, for images, which have no stylesheet. */
export function accentColor(settings: Pick<Settings, 'categories'>, category: string): string {
  return accentColors[accentOf(settings, category) - 1] ?? accentColors[0];
}

import type { Settings } from '../../schema/settings.ts';

/** The accent colors on paper, as the stylesheet has them: `[data-accent="1"]` and so on. */
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

export const accentCount = accentColors.length;

/**
 * The number of the accent color of a category, from 1: by its place in the settings, so that a catalog with other
 * categories gets colours too. Past the last colour they begin again; what is no category has the first.
 */
export function accentOf({ categories }: Pick<Settings, 'categories'>, category: string): number {
  return (Math.max(0, Object.keys(categories).indexOf(category)) % accentCount) + 1;
}

/** The accent color of a category on paper, for what no stylesheet reaches. */
export function accentColor(settings: Pick<Settings, 'categories'>, category: string): string {
  return accentColors[accentOf(settings, category) - 1] ?? accentColors[0];
}

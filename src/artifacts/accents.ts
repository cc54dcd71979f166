import type { Settings } from '../schema/settings.ts';

/** How many accent colours the stylesheet has: `[data-accent="1"]` and so on. */
export const accentCount = 10;

/**
 * The number of the accent colour of a category, from 1: by its place in the settings, so that a catalog with other
 * categories gets colours too. Past the last colour they begin again; what is no category has the first.
 */
export function accentOf({ categories }: Pick<Settings, 'categories'>, category: string): number {
  return (Math.max(0, Object.keys(categories).indexOf(category)) % accentCount) + 1;
}

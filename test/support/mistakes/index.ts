import { writeCatalog } from '../catalog.ts';
import { contentMistakes } from './contents.ts';
import { evalsMistakes } from './evals.ts';
import { folderMistakes } from './folders.ts';
import { frontMatterMistakes } from './front-matter.ts';
import { identityMistakes } from './identity.ts';
import { type Mistake, one } from './row.ts';
import { settingsMistakes } from './settings.ts';
import { textMistakes } from './text.ts';

export type { Mistake } from './row.ts';

/** Every mistake that an editor can make. The first row of a code is also its example in docs/rules.md. */
export const mistakes: readonly Mistake[] = [
  ...folderMistakes,
  ...textMistakes,
  ...frontMatterMistakes,
  ...contentMistakes,
  ...evalsMistakes,
  ...identityMistakes,
  ...settingsMistakes,
];

/** Writes the catalog of a mistake into a folder. */
export function makeMistake(folder: string, { agents = one(), settings = {}, change }: Mistake): void {
  writeCatalog(folder, agents, settings);
  change?.(folder);
}

import { fileURLToPath } from 'node:url';
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

/** Writes the catalog of a mistake into a folder, and returns the options of a process that has to see the mistake. */
export function makeMistake(folder: string, { agents = one(), settings = {}, change, deny }: Mistake) {
  writeCatalog(folder, agents, settings);
  change?.(folder);
  return deny === undefined
    ? {}
    : { node: ['--import', fileURLToPath(new URL('../deny.mjs', import.meta.url))], env: { DENY: deny } };
}

import type { Wording } from '../diagnostic.ts';

/** Problems with the file of the settings as a whole. */

const wrongFolder = 'Run the command in the folder of a catalog, or name that folder with --cwd.';

export function settingsMissing(file: string, folder: string): Wording {
  return { message: `There is no ${file} in "${folder}".`, hint: wrongFolder };
}

export function settingsUnreadable(file: string, folder: string, reason: string | undefined): Wording {
  return { message: `${file} in ${folder} cannot be read (${reason}).`, hint: wrongFolder };
}

export function settingsEmpty(file: string): Wording {
  return {
    message: `${file} is empty.`,
    hint: 'Write the settings, or start from the file that `catalog init` creates.',
  };
}

/** `key` has its quotes. */
export function settingTwice(key: string): Wording {
  return { message: `${key} appears twice.`, hint: 'Keep one of the two.' };
}

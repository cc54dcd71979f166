import type { Wording } from '../diagnostics/diagnostic.ts';

/** Problems with the file of the settings as a whole. */

const wrongFolder = 'Run the command in the folder of a catalog, or name that folder with --cwd.';

export function settingsMissing(file: string, folder: string): Wording {
  return { message: `There is no ${file} in "${folder}".`, hint: wrongFolder };
}

export function settingsUnreadable(file: string, folder: string, reason: string | undefined): Wording {
  const message = `${file} in ${folder} cannot be read (${reason}).`;
  if (reason === 'EISDIR') return { message, hint: `Put a file with the settings there instead of a folder.` };
  if (reason === 'ENOTDIR') return { message, hint: wrongFolder };
  if (reason === 'EFBIG') return { message: `${file} in ${folder} has more than 256 KiB.`, hint: 'Shorten its texts.' };
  const denied = reason === 'EACCES' || reason === 'EPERM';
  return {
    message: denied ? `You have no permission to read ${file} in ${folder} (${reason}).` : message,
    hint: denied
      ? 'Make it readable for your user, or run the command as a user who can read it.'
      : 'Check its permissions, and check the disk for errors.',
  };
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

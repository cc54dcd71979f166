import fs, { closeSync, openSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

/** A disk that refuses some files to this process, even if it is root's. */

/** Runs `use` while the file or folder whose path ends with `end` cannot be read. */
export function whileUnreadable<Result>(end: string, use: () => Promise<Result>): Promise<Result> {
  const refuse = (path: string) => {
    if (path.endsWith(end)) throw systemError('EACCES', `permission denied, '${path}'`);
  };
  return whileRefused(['readdirSync', 'readFileSync'], refuse, use);
}

/** Runs `use` while reading the file `path` fails with an error that the program does not expect. */
export function whileReadingFails<Result>(path: string, use: () => Promise<Result>): Promise<Result> {
  const refuse = (file: string) => {
    if (file === path) throw new Error('made by a test');
  };
  return whileRefused(['readFileSync'], refuse, use);
}

/**
 * Runs `use` while the disk is full for files whose name starts with `start`, dots left aside. As on a real one, the file
 * exists by then.
 */
export function whileFull<Result>(start: string, use: () => Promise<Result>): Promise<Result> {
  const refuse = (path: string) => {
    if (!basename(path).replace(/^\.+/, '').startsWith(start)) return;
    closeSync(openSync(path, 'a'));
    throw systemError('ENOSPC', `no space left on device, '${path}'`);
  };
  return whileRefused(['writeFileSync'], refuse, use);
}

function systemError(code: string, reason: string): Error {
  return Object.assign(new Error(`${code}: ${reason}`), { code });
}

/** Runs `use` while these functions of node:fs first call `refuse` with the path, which throws if the disk refuses it. */
async function whileRefused<Result>(
  names: readonly ('readdirSync' | 'readFileSync' | 'writeFileSync')[],
  refuse: (path: string) => void,
  use: () => Promise<Result>,
): Promise<Result> {
  const originals = Object.fromEntries(names.map((name) => [name, fs[name] as (...args: unknown[]) => unknown]));
  for (const [name, original] of Object.entries(originals)) {
    const refusing = (path: unknown, ...rest: unknown[]) => {
      refuse(String(path));
      return Reflect.apply(original, fs, [path, ...rest]);
    };
    Object.assign(fs, { [name]: refusing });
  }
  syncBuiltinESMExports();
  try {
    return await use();
  } finally {
    Object.assign(fs, originals);
    syncBuiltinESMExports();
  }
}

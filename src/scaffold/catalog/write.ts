import { lstatSync, mkdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperationError, systemReason } from '../../errors.ts';

type Kind = 'nothing' | 'folder' | 'other';

/**
 * Throws OperationError when something is where the files of a new catalog in `folder` have to be, naming all of it.
 * `paths` are from the folder, with slashes; package.json may be there, as a file.
 */
export function refuseObstacles(folder: string, paths: readonly string[]): void {
  refuseFileAsFolder(folder);
  const obstacles = [...new Set(paths.flatMap((path) => obstacle(folder, path) ?? []))];
  if (kindOf(join(folder, 'package.json')) === 'folder') obstacles.push('package.json (has to be a file)');
  if (obstacles.length === 0) return;
  throw new OperationError(
    `${obstacles.length === 1 ? 'This is' : 'These are'} in the way in ${folder}, and nothing was written:\n` +
      `${obstacles.map((name) => `  ${name}\n`).join('')}` +
      `Move ${obstacles.length === 1 ? 'it' : 'them'} away, or start the catalog in another folder.`,
  );
}

/**
 * Writes the files of a new catalog into `folder`, which is made where it is not there, never over anything; then
 * `replaced`, the one file that is changed where it is there, by a rename. All of it or nothing.
 *
 * Throws OperationError when the disk refuses; what was written is removed again, and what cannot be is named.
 */
export function writeCatalog(
  folder: string,
  files: ReadonlyMap<string, string>,
  replaced: { path: string; text: string } | null,
): void {
  const madeFiles: string[] = [];
  const madeFolders: string[] = [];
  let now = folder;
  try {
    makeFolder(folder, madeFolders);
    for (const [name, text] of files) {
      now = join(folder, name);
      makeFolder(dirname(now), madeFolders);
      writeFileSync(now, text, { flag: 'wx' });
      madeFiles.push(now);
    }
    if (replaced !== null) {
      now = replaced.path;
      const staged = join(dirname(replaced.path), `.package.json.new-${process.pid}`);
      madeFiles.push(staged);
      writeFileSync(staged, replaced.text, { flag: 'wx', mode: statSync(replaced.path).mode });
      renameSync(staged, replaced.path);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code !== 'EEXIST') madeFiles.push(now);
    const left = removeAgain(
      madeFiles.filter((path) => path !== replaced?.path),
      madeFolders,
    );
    throw new OperationError(
      `${now} cannot be written: ${systemReason(code)}; ${left.length === 0 ? 'nothing was left behind.' : `these stay behind: ${left.join(', ')}.`}`,
      { cause: error },
    );
  }
}

/** The first path on the way to a file, or the file itself, that would have to be overwritten; null where it is free. */
function obstacle(folder: string, path: string): string | null {
  const steps = path.split('/').map((_, index, names) => names.slice(0, index + 1).join('/'));
  for (const step of steps) {
    const kind = kindOf(join(folder, step));
    if (kind === 'nothing') return null;
    if (step === path) return path;
    if (kind === 'other') return `${step} (has to be a folder)`;
  }
  return null;
}

/** Throws OperationError when `folder`, or what it would be made in, is no folder. */
function refuseFileAsFolder(folder: string): void {
  for (let path = folder; ; path = dirname(path)) {
    const kind = kindOf(path);
    if (kind === 'other') throw new OperationError(`${path} is no folder; name another one for the catalog.`);
    if (kind === 'folder' || dirname(path) === path) return;
  }
}

/** What is at a path; a link that leads to a folder is one, a link that leads nowhere is in the way. */
function kindOf(path: string): Kind {
  try {
    if (!lstatSync(path).isSymbolicLink()) return lstatSync(path).isDirectory() ? 'folder' : 'other';
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? 'folder' : 'other';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'nothing';
    throw new OperationError(`${path} cannot be looked at: ${systemReason(code ?? String(error))}.`, { cause: error });
  }
}

/** Makes a folder and those that it is in, and adds to `made` each that was not there. */
function makeFolder(path: string, made: string[]): void {
  if (kindOf(path) === 'folder') return;
  makeFolder(dirname(path), made);
  mkdirSync(path);
  made.push(path);
}

/** Removes what was made, the newest first, and gives what could not be. */
function removeAgain(files: readonly string[], folders: readonly string[]): string[] {
  const remove = (path: string, how: (path: string) => void) => {
    try {
      how(path);
      return [];
    } catch {
      return [path];
    }
  };
  return [
    ...files.flatMap((path) => remove(path, (one) => rmSync(one, { force: true }))),
    ...[...folders].reverse().flatMap((path) => remove(path, rmdirSync)),
  ];
}

import { lstatSync, mkdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperationError, systemReason } from '../../errors.ts';

type Kind = 'nothing' | 'folder' | 'other';

/**
 * Throws OperationError if existing files are in the way of a new catalog in `folder`, and names all of them. `paths`
 * are relative to `folder`, with slashes. package.json may exist, as a file.
 */
export function refuseObstacles(folder: string, paths: readonly string[]): void {
  refuseFileAsFolder(folder);
  const obstacles = [...new Set(paths.flatMap((path) => obstacle(folder, path) ?? []))];
  if (kindOf(join(folder, 'package.json')) === 'folder') obstacles.push('package.json (has to be a file)');
  if (obstacles.length === 0) return;
  throw new OperationError(
    `Nothing was written, because ${obstacles.length === 1 ? 'this already exists' : 'these already exist'} in ${folder}:\n` +
      `${obstacles.map((name) => `  ${name}\n`).join('')}` +
      `Move ${obstacles.length === 1 ? 'it' : 'them'} away, or start the catalog in another folder.`,
  );
}

/**
 * Writes the files of a new catalog to `folder`, which is created if it does not exist, and never overwrites a file.
 * Then replaces `replaced`, the one existing file that changes, by a rename. It writes everything or nothing.
 *
 * Throws OperationError if a file cannot be written. Written files are then removed; the message names those that cannot be
 * removed.
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
      `${now} cannot be written: ${systemReason(code)}. ${left.length === 0 ? 'Nothing was left behind.' : `Delete what was left behind: ${left.join(', ')}.`}`,
      { cause: error },
    );
  }
}

/**
 * Returns the first part of a path, or the path itself, that would have to be overwritten; null if the path is free.
 */
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

/** Throws OperationError if `folder` or one of its parents is a file. */
function refuseFileAsFolder(folder: string): void {
  for (let path = folder; ; path = dirname(path)) {
    const kind = kindOf(path);
    if (kind === 'other') throw new OperationError(`${path} is not a folder; name another one for the catalog.`);
    if (kind === 'folder' || dirname(path) === path) return;
  }
}

/** Returns what exists at a path. A link to a folder is a folder; a broken link is `other`. */
function kindOf(path: string): Kind {
  try {
    if (!lstatSync(path).isSymbolicLink()) return lstatSync(path).isDirectory() ? 'folder' : 'other';
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? 'folder' : 'other';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'nothing';
    throw new OperationError(`${path} cannot be read: ${systemReason(code ?? String(error))}.`, { cause: error });
  }
}

/** Creates a folder and its missing parents, and adds each new folder to `made`. */
function makeFolder(path: string, made: string[]): void {
  if (kindOf(path) === 'folder') return;
  makeFolder(dirname(path), made);
  mkdirSync(path);
  made.push(path);
}

/** Removes the created files and folders, newest first, and returns those that cannot be removed. */
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

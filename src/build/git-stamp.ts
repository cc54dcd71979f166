import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { areSettled, sourceStamps } from '../lib/files.ts';

/** Environment variables that make Git use other folders. */
const redirections = ['GIT_DIR', 'GIT_COMMON_DIR', 'GIT_WORK_TREE', 'GIT_OBJECT_DIRECTORY', 'GIT_NAMESPACE'];

/**
 * Returns the paths of the files in which Git keeps HEAD and the branches: as long as their stamps (see lib/files.ts) are
 * the same, so are the history and the published agents. Outside of a repository, they are the places where one
 * would begin. Null if Git uses other files.
 */
export function gitFiles(cwd: string, environment: NodeJS.ProcessEnv = process.env): string[] | null {
  if (redirections.some((name) => environment[name] !== undefined)) return null;
  const folder = gitFolder(resolve(cwd));
  if (folder === null) return foldersAbove(resolve(cwd)).map((path) => join(path, '.git'));
  const common = commonFolder(folder);
  const files = ['HEAD', 'config', 'packed-refs', 'shallow', 'refs', 'reftable'];
  return [join(folder, 'HEAD'), join(folder, 'reftable'), ...files.map((name) => join(common, name))];
}

/** Returns the stamps of the same files, without starting Git; null if they are unknown or have just been changed. */
export function gitStamp(cwd: string, environment: NodeJS.ProcessEnv = process.env): string | null {
  const files = gitFiles(cwd, environment);
  const stamps = sourceStamps(files ?? []);
  return files !== null && areSettled(stamps)
    ? JSON.stringify([environment.PATH, stamps.paths, ...stamps.numbers])
    : null;
}

/** Whether a folder is in a repository. */
export function isInRepository(cwd: string): boolean {
  return gitFolder(resolve(cwd)) !== null;
}

/** Finds the .git folder of a repository. In a linked working tree, .git is a file that names it (gitrepository-layout). */
function gitFolder(folder: string): string | null {
  for (const above of foldersAbove(folder)) {
    const path = join(above, '.git');
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) return path;
    if (stats?.isFile()) return named(path, /^gitdir: (.*)$/m, above);
  }
  return null;
}

/** Returns a folder and the folders that contain it. */
function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

/** The folder that all linked working trees share. */
function commonFolder(folder: string): string {
  return named(join(folder, 'commondir'), /^(.*)$/m, folder) ?? folder;
}

function named(file: string, pattern: RegExp, base: string): string | null {
  try {
    const path = pattern.exec(readFileSync(file, 'utf8'))?.[1];
    return path === undefined ? null : resolve(base, path);
  } catch {
    return null;
  }
}

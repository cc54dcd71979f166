import { join, resolve } from 'node:path';
import { areSettled, sourceStamps } from '../lib/files.ts';
import { commonFolder, foldersAbove, gitFolder, isRedirected } from '../lib/git.ts';

/**
 * Returns the paths of the files in which Git keeps HEAD and the branches: as long as their stamps (see lib/files.ts) are
 * the same, so are the history and the published agents. Outside of a repository, they are the places where one
 * would begin. Null if Git uses other files.
 */
export function gitFiles(cwd: string, environment: NodeJS.ProcessEnv = process.env): string[] | null {
  if (isRedirected(environment)) return null;
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

import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { sourceStamps } from '../stamps.ts';

/** Environment variables that make Git use other folders. */
const redirections = ['GIT_DIR', 'GIT_COMMON_DIR', 'GIT_WORK_TREE', 'GIT_OBJECT_DIRECTORY', 'GIT_NAMESPACE'];

/**
 * Returns a stamp (see ../stamps.ts) of the files in which Git keeps HEAD and the branches, without starting Git. As long
 * as it is the same, so are the history and the record of published agents. Null if this cannot be known.
 */
export function gitStamp(cwd: string, environment: NodeJS.ProcessEnv = process.env): string | null {
  if (redirections.some((name) => environment[name] !== undefined)) return null;
  const folder = gitFolder(resolve(cwd));
  if (folder === null) return `no repository, ${environment.PATH}`;
  const common = commonFolder(folder);
  const files = ['HEAD', 'config', 'packed-refs', 'shallow', 'refs', 'reftable'];
  const paths = [join(folder, 'HEAD'), join(folder, 'reftable'), ...files.map((name) => join(common, name))];
  return sourceStamps(paths)?.join('\n') ?? null;
}

/** Whether a folder is in a repository. */
export function isInRepository(cwd: string): boolean {
  return gitFolder(resolve(cwd)) !== null;
}

/** Finds the .git folder of a repository. In a linked working tree, .git is a file that names it (gitrepository-layout). */
function gitFolder(folder: string): string | null {
  const path = join(folder, '.git');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return path;
  if (stats?.isFile()) return named(path, /^gitdir: (.*)$/m, folder);
  return dirname(folder) === folder ? null : gitFolder(dirname(folder));
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

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { OperationError } from '../diagnostics.ts';
import { buildFile } from './render.ts';

/** What writing a build changed below the folder. */
export interface Written {
  changed: number;
  removed: number;
  unchanged: number;
}

/**
 * Puts a build into the folder `out`: everything that differs is written beside it first and then moved in by renames,
 * in the order of `files`; then what the build no longer has is removed; build.json comes last. Files that are the same
 * are not touched.
 *
 * A process that is killed leaves whole files only, the old ones or the new ones; the next call completes the build.
 * Throws OperationError when `out` is a folder that holds something else than a build.
 */
export function writeBuild(out: string, files: ReadonlyMap<string, Uint8Array>): Written {
  const target = existsSync(out) ? realpathSync(out) : resolve(out);
  refuseStrangers(target, out);
  removeLeftovers(target);
  const staging = stagingFolder(target, process.pid);
  const fresh = !existsSync(target) || readdirSync(target).length === 0;
  const former = fresh ? [] : listFiles(target);
  const changed = [...files].filter(([path, bytes]) => fresh || !sameBytes(join(target, path), bytes));
  try {
    stage(staging, changed);
    if (fresh) {
      if (existsSync(target)) rmdirSync(target);
      renameSync(staging, target);
    } else {
      moveIn(staging, target, changed, () => removeFormer(target, former, files));
    }
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  const removed = former.filter((path) => !files.has(path)).length;
  return { changed: changed.length, removed, unchanged: files.size - changed.length };
}

function stage(staging: string, changed: readonly (readonly [string, Uint8Array])[]): void {
  mkdirSync(staging, { recursive: true });
  const made = new Set<string>();
  for (const [path, bytes] of changed) {
    const file = join(staging, path);
    const folder = dirname(file);
    if (!made.has(folder)) mkdirSync(folder, { recursive: true });
    made.add(folder);
    writeFileSync(file, bytes);
  }
}

function moveIn(
  staging: string,
  target: string,
  changed: readonly (readonly [string, Uint8Array])[],
  beforeLast: () => void,
): void {
  const move = (path: string) => {
    clearTheWay(target, path);
    renameSync(join(staging, path), join(target, path));
  };
  for (const [path] of changed) if (path !== buildFile) move(path);
  beforeLast();
  if (changed.some(([path]) => path === buildFile)) move(buildFile);
}

/** Makes the folder of a path, and removes what has another kind there: a file in place of a folder, or the reverse. */
function clearTheWay(target: string, path: string): void {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const folder = join(target, ...parts.slice(0, depth));
    if (existsSync(folder) && !statSync(folder).isDirectory()) unlinkSync(folder);
  }
  const file = join(target, path);
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file) && statSync(file).isDirectory()) rmSync(file, { recursive: true });
}

function removeFormer(target: string, former: readonly string[], files: ReadonlyMap<string, unknown>): void {
  for (const path of former) {
    if (files.has(path)) continue;
    rmSync(join(target, path), { force: true });
    removeEmptyFolders(target, dirname(path));
  }
}

function removeEmptyFolders(target: string, folder: string): void {
  if (folder === '.') return;
  const path = join(target, folder);
  if (!existsSync(path) || readdirSync(path).length > 0) return;
  rmdirSync(path);
  removeEmptyFolders(target, dirname(folder));
}

function sameBytes(file: string, bytes: Uint8Array): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || stats.size !== bytes.length) return false;
  return readFileSync(file).equals(bytes);
}

function listFiles(root: string): string[] {
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

function stagingFolder(target: string, pid: number): string {
  return join(dirname(target), `.${basename(target)}.staging-${pid}`);
}

/** Removes what builds that were killed left beside the folder. */
function removeLeftovers(target: string): void {
  const prefix = `.${basename(target)}.staging-`;
  const parent = dirname(target);
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
    if (Number.isInteger(pid) && (pid === process.pid || !isAlive(pid))) {
      rmSync(join(parent, name), { recursive: true, force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A folder with files but without build.json was not made by a build: nothing in it may be removed. */
function refuseStrangers(target: string, out: string): void {
  if (!existsSync(target)) return;
  if (!statSync(target).isDirectory()) throw new OperationError(`${out} is a file; a build needs a folder.`);
  if (readdirSync(target).length > 0 && !existsSync(join(target, buildFile))) {
    throw new OperationError(
      `${out} holds files, but no ${buildFile}, so it is not the folder of a build and is left alone. ` +
        'Name another folder with --out, or empty this one first.',
    );
  }
}

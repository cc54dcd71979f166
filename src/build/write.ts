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
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import {
  commitPending,
  completePending,
  putInPlace,
  stagedFolder,
  syncFile,
} from '../build-folder/unfinished-build.ts';
import { OperationError } from '../errors.ts';
import { buildFile } from '../schema/build-info.ts';

/** What writing a build changed below the folder. */
export interface Written {
  changed: number;
  removed: number;
  unchanged: number;
}

/**
 * Puts a build into the folder `out`: everything that differs is written beside it first, synced unless it is a first
 * build, and then moved in by renames, in the order of `files`; then what the build no longer has is removed; build.json
 * comes last. Files that are the same are not touched.
 *
 * A process that is killed leaves whole files only, the old ones or the new ones. Once all is staged, it leaves a pending
 * build (see unfinished-build.ts), which the next call completes. Throws OperationError when `out` is a folder that holds
 * something else than a build.
 */
export function writeBuild(out: string, files: ReadonlyMap<string, Uint8Array>): Written {
  const target = existsSync(out) ? realpathSync(out) : resolve(out);
  refuseStrangers(target, out);
  removeLeftovers(target);
  completePending(target);
  const staging = stagingFolder(target, process.pid);
  const fresh = !existsSync(target) || readdirSync(target).length === 0;
  const former = fresh ? [] : listFiles(target);
  const changed = [...files].filter(([path, bytes]) => fresh || !sameBytes(join(target, path), bytes));
  const removed = former.filter((path) => !files.has(path));
  try {
    stage(stagedFolder(staging), changed);
    if (fresh) {
      if (existsSync(target)) rmdirSync(target);
      renameSync(stagedFolder(staging), target);
    } else if (changed.length + removed.length > 0) {
      // A power cut after the renames must not leave empty files. Those of a first build are not synced: that takes
      // about a millisecond a file, CI throws the folder away, and building again compares all bytes.
      for (const [path] of changed) syncFile(join(stagedFolder(staging), path));
      const moved = changed.map(([path]) => path);
      putInPlace(target, commitPending(staging, target, { moved, removed }));
    }
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return { changed: changed.length, removed: removed.length, unchanged: files.size - changed.length };
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

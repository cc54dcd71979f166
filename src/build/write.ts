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

/** How many files writing a build changed, removed or left unchanged. */
export interface Written {
  changed: number;
  removed: number;
  unchanged: number;
}

/**
 * Writes a build to the folder `out`. New and changed files are first written to a staging folder next to it, and
 * synced unless this is a first build. They are then renamed into place in the order of `files`, and files that the
 * build no longer has are removed. build.json comes last. Unchanged files are not touched.
 *
 * If the process is killed, every file is complete, either old or new. Once everything is staged, a killed process
 * leaves a pending build (see unfinished-build.ts), which the next call finishes. Throws OperationError if `out`
 * contains files that are not a build.
 */
export function writeBuild(out: string, files: ReadonlyMap<string, Uint8Array>): Written {
  const target = existsSync(out) ? realpathSync(out) : resolve(out);
  refuseOtherFolders(target, out);
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
      // A power failure after the renames must not leave empty files. The files of a first build are not synced:
      // syncing takes about a millisecond for each file, CI discards the folder, and the next build compares all bytes
      // anyway.
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

/** Removes the staging folders of killed builds. */
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

/** Refuses a folder that has files but no build.json: a build did not make it, so nothing in it may be removed. */
function refuseOtherFolders(target: string, out: string): void {
  if (!existsSync(target)) return;
  if (!statSync(target).isDirectory()) throw new OperationError(`${out} is a file. Name a folder with --out.`);
  if (readdirSync(target).length > 0 && !existsSync(join(target, buildFile))) {
    throw new OperationError(
      `${out} contains files but no ${buildFile}, so it is not a build folder and was not changed. ` +
        'Name another folder with --out, or empty this one first.',
    );
  }
}

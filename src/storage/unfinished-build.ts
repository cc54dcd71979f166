import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { buildFile } from '../schema/documents.ts';

const planShape = z.object({
  /** The fingerprint of the build.json that is replaced. If another one is in place, the plan is obsolete. */
  replaces: z.string(),
  /** Paths that get a new file, in the order in which the files are moved. */
  moved: z.array(z.string()),
  /** Paths that the build no longer has. */
  removed: z.array(z.string()),
});

type Plan = z.infer<typeof planShape>;

/**
 * A complete build on disk whose new files are not all in its folder yet, because a process is still moving them or was
 * killed. Until then, they are in a staging folder next to it.
 */
export interface PendingBuild extends Pick<Plan, 'moved' | 'removed'> {
  /** The folder with the plan. It is removed last. */
  folder: string;
  /** The folder of the files that were not moved yet. */
  staged: string;
}

const stagedName = 'files';
const planName = 'plan.json';

/** The pending build of the folder `target`, or null. */
export function findPending(target: string): PendingBuild | null {
  for (const folder of pendingFolders(target)) {
    const plan = readPlan(folder);
    if (plan !== null && plan.replaces === fingerprint(target)) {
      return { folder, staged: join(folder, stagedName), moved: plan.moved, removed: plan.removed };
    }
  }
  return null;
}

/** The folders of pending builds beside `target`, including obsolete ones. */
export function pendingFolders(target: string): string[] {
  const prefix = `.${basename(target)}.ready-`;
  return readdirSync(dirname(target))
    .filter((name) => name.startsWith(prefix))
    .sort()
    .map((name) => join(dirname(target), name));
}

/** The folder below `staging` for the new files of a build. */
export function stagedFolder(staging: string): string {
  return join(staging, stagedName);
}

/**
 * Turns the folder `staging`, which contains all new files, written and synced, into a pending build. From then on,
 * this build is the current one: servers already read it, and if this process is killed, the next build finishes it.
 */
export function commitPending(staging: string, target: string, plan: Omit<Plan, 'replaces'>): PendingBuild {
  const file = join(staging, planName);
  writeFileSync(file, JSON.stringify({ replaces: fingerprint(target), ...plan }));
  syncFile(file);
  const folder = join(dirname(target), `.${basename(target)}.ready-${process.pid}`);
  renameSync(staging, folder);
  return { folder, staged: join(folder, stagedName), ...plan };
}

/** Finishes all pending builds of `target`, and removes obsolete plans. */
export function completePending(target: string): void {
  for (let pending = findPending(target); pending !== null; pending = findPending(target)) {
    putInPlace(target, pending);
  }
  for (const folder of pendingFolders(target)) rmSync(folder, { recursive: true, force: true });
}

/**
 * Moves the files of a pending build into place, removes those that the build no longer has, and moves build.json last.
 */
export function putInPlace(target: string, { folder, staged, moved, removed }: PendingBuild): void {
  for (const path of moved) if (path !== buildFile) move(staged, target, path);
  for (const path of removed) {
    // A new file may have replaced its folder, or need a folder with this path.
    if (isFolder(join(target, path)) || !isFolder(join(target, dirname(path)))) continue;
    rmSync(join(target, path), { force: true });
    removeEmptyFolders(target, dirname(path));
  }
  if (moved.includes(buildFile)) move(staged, target, buildFile);
  rmSync(folder, { recursive: true, force: true });
}

/** Makes the bytes of a file durable. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function move(staged: string, target: string, path: string): void {
  const from = join(staged, path);
  // Another process has moved it: one that also finishes the build, or the one that was killed.
  if (!existsSync(from)) return;
  clearTheWay(target, path);
  try {
    renameSync(from, join(target, path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(from)) throw error;
  }
}

/** Creates the folder for a path. Removes a file where a folder is needed, and a folder where a file is needed. */
function clearTheWay(target: string, path: string): void {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const folder = join(target, ...parts.slice(0, depth));
    if (existsSync(folder) && !isFolder(folder)) unlinkSync(folder);
  }
  const file = join(target, path);
  mkdirSync(dirname(file), { recursive: true });
  if (isFolder(file)) rmSync(file, { recursive: true });
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function removeEmptyFolders(target: string, folder: string): void {
  if (folder === '.') return;
  const path = join(target, folder);
  if (!existsSync(path) || readdirSync(path).length > 0) return;
  rmdirSync(path);
  removeEmptyFolders(target, dirname(folder));
}

function readPlan(folder: string): Plan | null {
  try {
    return planShape.parse(JSON.parse(readFileSync(join(folder, planName), 'utf8')));
  } catch {
    return null;
  }
}

function fingerprint(target: string): string {
  try {
    return createHash('sha256')
      .update(readFileSync(join(target, buildFile)))
      .digest('hex');
  } catch {
    return '';
  }
}

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
import { z } from 'zod';
import { buildFile } from '../schema/build-info.ts';

const planShape = z.object({
  /** The fingerprint of the build.json that is replaced. Where another one is in place, the plan is out of date. */
  replaces: z.string(),
  /** Paths below the folder that get a new file, in the order in which they are put in place. */
  moved: z.array(z.string()),
  /** Paths below the folder that the build no longer has. */
  removed: z.array(z.string()),
});

type Plan = z.infer<typeof planShape>;

/**
 * A build that is whole on the disk but not yet in its folder: its new files are in another folder beside that one, and
 * are being moved in, or a process that was killed left them there.
 */
export interface PendingBuild extends Pick<Plan, 'moved' | 'removed'> {
  /** The folder with the plan. It is removed last. */
  folder: string;
  /** Where the files are that have not been moved yet. */
  staged: string;
}

const stagedName = 'files';
const planName = 'plan.json';

/** The pending build of the folder `target`; null where there is none. */
export function findPending(target: string): PendingBuild | null {
  for (const folder of pendingFolders(target)) {
    const plan = readPlan(folder);
    if (plan !== null && plan.replaces === fingerprint(target)) {
      return { folder, staged: join(folder, stagedName), moved: plan.moved, removed: plan.removed };
    }
  }
  return null;
}

/** The folders of pending builds beside `target`, out of date or not. */
export function pendingFolders(target: string): string[] {
  const prefix = `.${basename(target)}.ready-`;
  return readdirSync(dirname(target))
    .filter((name) => name.startsWith(prefix))
    .sort()
    .map((name) => join(dirname(target), name));
}

/** Where new files of a build are staged below the folder `staging`. */
export function stagedFolder(staging: string): string {
  return join(staging, stagedName);
}

/**
 * Makes a pending build of the folder `staging`, in which all new files are and synced. From here on the build counts:
 * if this process is killed, the next build puts it in place, and a server reads it as if it were.
 */
export function commitPending(staging: string, target: string, plan: Omit<Plan, 'replaces'>): PendingBuild {
  const file = join(staging, planName);
  writeFileSync(file, JSON.stringify({ replaces: fingerprint(target), ...plan }));
  syncFile(file);
  const folder = join(dirname(target), `.${basename(target)}.ready-${process.pid}`);
  renameSync(staging, folder);
  return { folder, staged: join(folder, stagedName), ...plan };
}

/** Puts every pending build of `target` in place, and removes plans that are out of date. */
export function completePending(target: string): void {
  for (let pending = findPending(target); pending !== null; pending = findPending(target)) {
    putInPlace(target, pending);
  }
  for (const folder of pendingFolders(target)) rmSync(folder, { recursive: true, force: true });
}

/** Moves the files of a pending build in, removes those that it no longer has, and puts build.json in place last. */
export function putInPlace(target: string, { folder, staged, moved, removed }: PendingBuild): void {
  for (const path of moved) if (path !== buildFile) move(staged, target, path);
  for (const path of removed) {
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
  // It was moved before the process was killed, or by another process that completes the build too.
  if (!existsSync(from)) return;
  clearTheWay(target, path);
  try {
    renameSync(from, join(target, path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(from)) throw error;
  }
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

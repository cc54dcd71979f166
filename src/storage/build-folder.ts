import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
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
import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import * as z from 'zod';
import { parseBoundedJson } from '../lib/bounded.ts';
import { OperationError, obstacleIn, orElse, UsageError } from '../lib/errors.ts';
import { makeFolder, removeEmptyFolders, sha256Of } from '../lib/files.ts';
import { type BuildInfo, buildFile, buildInfo } from '../schema/documents.ts';
import { realPath } from './disk.ts';
import { alone, hasPid } from './lock.ts';

const planShape = z.object({
  /** The fingerprint of the build.json that is replaced. If another one is in place, the plan is obsolete. */
  replaces: z.string(),
  /** Paths that get a new file, in the order in which the files are moved. */
  moved: z.array(z.string()),
  /** Paths that the build no longer has. */
  removed: z.array(z.string()),
});

type Plan = z.infer<typeof planShape>;

const stagedName = 'files';
const planName = 'plan.json';

/**
 * The pending build of the folder `target`, or null: a complete build on disk whose new files are not all in its folder yet,
 * because a process is still moving them or was killed. Until then, they are in a staging folder next to it. `folder` has the
 * plan and is removed last; `staged` has the files that were not moved yet.
 */
export function findPending(target: string) {
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

/**
 * A folder for a build, with a staging folder next to it, to which new files are written before they are all put in place. What
 * killed builds left is completed or removed first.
 */
export class BuildFolder {
  /** The folder, without links. */
  readonly target: string;
  /** Where new files are, in the staging folder. */
  readonly staged: string;
  /** Whether there is no build yet. */
  readonly isFirst: boolean;
  readonly #staging: string;

  /** Throws OperationError if `out` contains files that are not a build. */
  constructor(out: string) {
    this.target = existsSync(out) ? realpathSync(out) : resolve(out);
    refuseOtherFolders(this.target, out);
    removeLeftovers(this.target);
    completePending(this.target);
    this.#staging = join(dirname(this.target), `.${basename(this.target)}.staging-${process.pid}`);
    this.staged = join(this.#staging, stagedName);
    this.isFirst = !existsSync(this.target) || readdirSync(this.target).length === 0;
  }

  /** Makes the staged files the first build. */
  begin(): void {
    if (existsSync(this.target)) rmdirSync(this.target);
    makeFolder(this.staged);
    renameSync(this.staged, this.target);
  }

  /**
   * Turns the staging folder, which contains all new files, into a pending build. From then on, this build is the current one:
   * servers already read it, and if this process is killed before `completePending`, the next build finishes it. `onSync` is
   * called before each file is synced, with the number of those before it.
   */
  commit(plan: Omit<Plan, 'replaces'>, onSync: (index: number) => void = () => {}): void {
    makeFolder(this.staged);
    // A power failure after the renames must not leave empty files.
    for (const [index, path] of plan.moved.entries()) {
      onSync(index);
      syncFile(join(this.staged, path));
    }
    const file = join(this.#staging, planName);
    writeFileSync(file, JSON.stringify({ replaces: fingerprint(this.target), ...plan }));
    syncFile(file);
    renameSync(this.#staging, join(dirname(this.target), `.${basename(this.target)}.ready-${process.pid}`));
  }

  /** Removes the staging folder, if there still is one. */
  discard(): void {
    rmSync(this.#staging, { recursive: true, force: true });
  }
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
function putInPlace(target: string, pending: NonNullable<ReturnType<typeof findPending>>): void {
  const { folder, staged, moved, removed } = pending;
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
function syncFile(path: string): void {
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
  makeFolder(dirname(file));
  if (isFolder(file)) rmSync(file, { recursive: true });
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function readPlan(folder: string): Plan | null {
  return orElse(() => planShape.parse(JSON.parse(readFileSync(join(folder, planName), 'utf8'))), null);
}

function fingerprint(target: string): string {
  return orElse(() => sha256Of(readFileSync(join(target, buildFile))), '');
}

/** A folder that a build writes, and the option that names it. */
type Written = readonly [folder: string, flag: string];

/**
 * Runs `work` as the only build that writes these folders. It waits for other builds, after `say` was called with their
 * process. `work` has to call `beat` often, since a build keeps the process from its timers. The lock is next to the
 * folder and hidden.
 */
export async function asOnlyBuild<Result>(
  [written, ...others]: readonly Written[],
  say: (message: string) => void,
  work: (beat: () => void) => Result,
): Promise<Result> {
  if (written === undefined) return work(() => {});
  const [folder, flag] = written;
  refuseNoFolder(folder, flag);
  makeFolder(dirname(resolve(folder)));
  const target = await realPath(fs, folder);
  for (const [other, otherFlag] of others) {
    // It would wait for itself, and the next build would remove what is not its own.
    if (`${await realPath(fs, other).catch(() => resolve(other))}${sep}`.startsWith(`${target}${sep}`))
      throw new UsageError(`${other} is the folder of ${flag}, or in it. Name another folder with ${otherFlag}.`);
  }
  const rest = (beat: () => void) =>
    asOnlyBuild(others, say, (beatOthers) =>
      work(() => {
        beat();
        beatOthers();
      }),
    );
  const file = join(dirname(target), `.${basename(target)}`);
  const other = `Another build or deployment is using ${folder}`;
  return alone({ file, other, ...buildPatience, say }, rest);
}

/**
 * How long to wait for a build that is running, and for one on another machine or in another container that shows no
 * sign of life: reading the history of a large repository takes seconds without one.
 */
const buildPatience = { waitMs: 10 * 60_000, patienceMs: 60_000 };

/** Removes the staging folders of killed builds. */
function removeLeftovers(target: string): void {
  const prefix = `.${basename(target)}.staging-`;
  const parent = dirname(target);
  makeFolder(parent);
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
    if (Number.isInteger(pid) && (pid === process.pid || !hasPid(pid))) {
      rmSync(join(parent, name), { recursive: true, force: true });
    }
  }
}

/** Refuses a path that is no folder and cannot become one. `flag` is what names it. Throws OperationError. */
function refuseNoFolder(path: string, flag: string): void {
  const obstacle = obstacleIn(path);
  if (obstacle !== null) throw new OperationError(`${obstacle}. Name a folder with ${flag}.`);
}

/**
 * Refuses a folder that cannot be made, one on a file system of its own, since a build is made beside it and moved into
 * place, and one that has files but no build.json: a build did not make it, so nothing in it may be removed. Throws
 * OperationError.
 */
function refuseOtherFolders(target: string, out: string): void {
  refuseNoFolder(target, '--out');
  if (!existsSync(target)) return;
  if (statSync(target).dev !== statSync(dirname(target)).dev) {
    throw new OperationError(
      `${out} is a file system of its own, such as a volume of Docker, so a build made beside it cannot be moved into place. ` +
        'Name a folder in it with --out.',
    );
  }
  if (readdirSync(target).length > 0 && !existsSync(join(target, buildFile))) {
    throw new OperationError(
      `${out} contains files but no ${buildFile}, so it is not a build folder and was not changed. ` +
        'Name another folder with --out, or empty this one first.',
    );
  }
}

const catalogShape = z.object({ agents: z.array(z.object({ slug: z.string(), title: z.string() })) });

/**
 * Reads the titles of the agents in the build in `dist`, by slug, and the current slug of each former one. Throws
 * OperationError if there is no build.
 */
export function readPublished(dist: string) {
  const { moved } = readJson(dist, buildFile, buildInfo.pick({ moved: true }));
  const { agents } = readJson(dist, 'api/agents.json', catalogShape);
  return {
    titles: new Map(agents.map(({ slug, title }) => [slug, title])),
    formerSlugs: new Map(Object.entries(moved)),
  };
}

const marketplaceShape = z.object({ renames: z.record(z.string(), z.string().nullable()) });

/** The slugs of withdrawn agents, also former ones, in a marketplace: assistants remove the plugins that it renames to nothing. */
export function withdrawnIn(marketplace: unknown): ReadonlySet<string> {
  const { renames } = marketplaceShape.parse(marketplace);
  return new Set(Object.keys(renames).filter((slug) => renames[slug] === null));
}

/** Reads the slugs of withdrawn agents from the build in `dist`; null if it does not list them. */
export function readWithdrawn(dist: string): ReadonlySet<string> | null {
  return orElse(() => withdrawnIn(parseBoundedJson(readText(dist, 'marketplace.json'))), null);
}

/** Reads build.json in `dist`. Throws OperationError if there is no build. */
export function readBuildInfo(dist: string): Pick<BuildInfo, 'id' | 'counts' | 'preview'> {
  return readJson(dist, buildFile, buildInfo.pick({ id: true, counts: true, preview: true }));
}

/** Throws OperationError if build.json in `dist` cannot be read. Called before a server creates its logs. */
export function requireBuild(dist: string): void {
  try {
    readText(realpathSync(dist), buildFile);
  } catch (error) {
    throw noBuild(dist, error);
  }
}

/** Says that a build has to be made in `dist`, if that does not look like the default folder. */
const sameOut = (dist: string) => (basename(dist) === 'dist' ? '' : ', with the same --out');

/** Returns the error for a server that has no build to serve. `why` is what was thrown when `dist` was read. */
export function noBuild(dist: string, why: unknown): OperationError {
  const { code, message } = why as NodeJS.ErrnoException;
  const problem = code === 'ENOENT' ? 'has no build' : `has no build that can be served (${code ?? message})`;
  return new OperationError(
    `${dist} ${problem}. Run \`npx --no daily-agent-catalog build\` first${sameOut(dist)}, or start with \`npx --no daily-agent-catalog serve --build\`.`,
  );
}

/** Reads a JSON file of a build. */
function readJson<Shape extends z.ZodType>(dist: string, file: string, shape: Shape): z.infer<Shape> {
  try {
    return shape.parse(parseBoundedJson(readText(dist, file)));
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'it has an unknown format';
    const message = `${dist} has no build (${file} cannot be read: ${why}). Run npx --no daily-agent-catalog build first${sameOut(dist)}.`;
    throw new OperationError(message, { cause: error });
  }
}

/** Reads a file of a build, including one that a killed process did not move into place. */
function readText(dist: string, file: string): string {
  const pending = findPending(dist);
  const folder = pending !== null && existsSync(join(pending.staged, file)) ? pending.staged : dist;
  return readFileSync(join(folder, file), 'utf8');
}

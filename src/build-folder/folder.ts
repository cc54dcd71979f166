import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { OperationError } from '../errors.ts';
import { realPath } from '../journal/disk.ts';
import { alone } from '../journal/lock.ts';
import { obstacleIn } from '../path-obstacle.ts';
import { buildFile } from '../schema/build-info.ts';

/** A folder that a build writes, and the option that names it. */
export type Written = readonly [folder: string, flag: string];

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
  mkdirSync(dirname(resolve(folder)), { recursive: true });
  const target = await realPath(fs, folder);
  const rest = (beat: () => void) =>
    asOnlyBuild(others, say, (beatOthers) =>
      work(() => {
        beat();
        beatOthers();
      }),
    );
  const options = { file: join(dirname(target), `.${basename(target)}`), other: `Another build is writing ${folder}` };
  return alone({ ...options, ...buildPatience, say }, rest);
}

/**
 * How long to wait for a build that is running, and for one on another machine or in another container that shows no
 * sign of life: reading the history of a large repository takes seconds without one.
 */
const buildPatience = { waitMs: 10 * 60_000, patienceMs: 60_000 };

/** Removes the staging folders of killed builds. */
export function removeLeftovers(target: string): void {
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

/** Refuses a path that is no folder and cannot become one. `flag` is what names it. Throws OperationError. */
export function refuseNoFolder(path: string, flag: string): void {
  const obstacle = obstacleIn(path);
  if (obstacle !== null) throw new OperationError(`${obstacle}. Name a folder with ${flag}.`);
}

/**
 * Refuses a folder that cannot be made, and one that has files but no build.json: a build did not make it, so nothing in it
 * may be removed. Throws OperationError.
 */
export function refuseOtherFolders(target: string, out: string): void {
  refuseNoFolder(target, '--out');
  if (!existsSync(target)) return;
  if (readdirSync(target).length > 0 && !existsSync(join(target, buildFile))) {
    throw new OperationError(
      `${out} contains files but no ${buildFile}, so it is not a build folder and was not changed. ` +
        'Name another folder with --out, or empty this one first.',
    );
  }
}

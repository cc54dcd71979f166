import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OperationError } from '../errors.ts';
import { obstacleIn } from '../path-obstacle.ts';
import { buildFile } from '../schema/build-info.ts';

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

import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { OperationError } from '../lib/errors.ts';
import { git } from '../lib/git.ts';

/** Returns the git folders of a working tree: its own, and the one that it shares with other working trees. */
export function gitFolders(cwd: string): string[] {
  const paths = git(cwd, ['rev-parse', '--absolute-git-dir', '--git-common-dir']).trim().split('\n');
  return [...new Set(paths.map((path) => resolve(cwd, path)))];
}

/** How long a git process may continue after the run that started it was killed, in milliseconds. */
const patienceMs = 60_000;

/**
 * Removes git's locks in a repository that are not older than `since`, as a killed git process leaves them. It first
 * waits until no git process is running in the folder `root`.
 *
 * Throws OperationError if one is still running after a minute.
 */
export async function removeStaleLocks(root: string, folders: readonly string[], since: Date): Promise<void> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const working = gitProcessIn(root);
    const locks = folders.flatMap((folder) => locksIn(folder)).filter(({ changed }) => changed >= since.getTime());
    const fresh = locks.find(({ changed }) => Date.now() - changed < patienceMs);
    // If the system does not list processes, a lock counts as stale once no git process of ours can still be running.
    if (working === null || (working === undefined && fresh === undefined)) {
      for (const { path } of locks) rmSync(path, { force: true });
      return;
    }
    if (Date.now() > end) {
      throw new OperationError(
        `A git process${working === undefined ? '' : ` (${working})`} of an interrupted run is still working in ${root}. Wait until it has finished, or stop it, and run the command again.`,
      );
    }
    await pause(100);
  }
}

/** Returns the path of the lock on the index, or null. If it exists, git is running or was killed. */
export function indexLock(folders: readonly string[]): string | null {
  const found = folders.flatMap(locksIn).find(({ path }) => basename(path) === 'index.lock');
  return found?.path ?? null;
}

/** Lists git's own locks: on the index, settings and references. */
function locksIn(folder: string): { path: string; changed: number }[] {
  const paths = [
    ...list(folder).filter((name) =>
      /^(?:next-index-\d+|index|HEAD|ORIG_HEAD|config|packed-refs|shallow)\.lock$/.test(name),
    ),
    ...list(join(folder, 'refs'), true)
      .filter((name) => name.endsWith('.lock'))
      .map((name) => join('refs', name)),
  ].map((name) => join(folder, name));
  return paths.flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ path, changed: stat.mtimeMs }];
  });
}

function list(folder: string, recursive = false): string[] {
  try {
    return readdirSync(folder, { recursive, encoding: 'utf8' });
  } catch {
    return [];
  }
}

/**
 * Returns the pid of a git process in a folder; null if there is none, undefined if the system does not list processes.
 */
function gitProcessIn(root: string): string | null | undefined {
  const pids = list('/proc').filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return undefined;
  const found = pids.find((pid) => {
    try {
      const folder = readlinkSync(`/proc/${pid}/cwd`);
      const inside = folder === root || folder.startsWith(root + sep);
      return inside && readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('git') && !hasEnded(pid);
    } catch {
      // The process has ended, or belongs to another user.
      return false;
    }
  });
  return found ?? null;
}

function hasEnded(pid: string): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return /^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1));
}

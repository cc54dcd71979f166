import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { gitFolders } from '../git/stale-locks.ts';
import { alone } from '../journal/lock.ts';
import { parseOwner } from '../journal/lock-owner.ts';
import type { Checkout } from './recover.ts';

/**
 * Runs `work` as the only publisher in the repository. `work` is called with the time at which an earlier run that was
 * killed began, or with null.
 */
export async function asOnlyPublisher<Result>(
  { folders }: Checkout,
  work: (killed: Date | null) => Promise<Result>,
): Promise<Result> {
  const file = join(folders[0] as string, 'catalog-publish');
  const found = await fs.readFile(`${file}.lock`, 'utf8').catch(() => null);
  const owner = found === null ? undefined : parseOwner(found);
  const other = 'Another catalog publish is running in this repository';
  return alone({ file, other }, () => work(found === null ? null : new Date(owner?.since ?? 0)));
}

/** Runs `work` as the only command that changes agents of the catalog. It waits a few seconds for another one. */
export async function asOnlyEditor<Result>(
  cwd: string,
  work: () => Result | Promise<Result>,
  say?: (message: string) => void,
): Promise<Result> {
  const folder = gitFolderOf(cwd);
  // In the catalog folder, git would show it as a new file.
  const file = folder === null ? join(cwd, '.agents') : join(folder, 'catalog-agents');
  return alone({ file, other: 'Another catalog command is changing agents', waitMs: 10_000, say }, work);
}

function gitFolderOf(cwd: string): string | null {
  try {
    return gitFolders(cwd)[0] ?? null;
  } catch {
    return null;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { createFile, type Disk, hasCode } from './disk.ts';
import { inUse, type LockOwner, ownerText, parseOwner } from './lock-owner.ts';
import { lifeOf } from './process-identity.ts';

export interface ClaimOptions {
  /** The file that is to have one owner. */
  file: string;
  disk: Disk;
  /** How long a lock whose owner is out of sight has to stand still to be taken over, in milliseconds. @default 4000 */
  patienceMs?: number;
}

/**
 * Makes `owner` the owner of the lock at `path`, or rejects with an OperationError that names the one it has.
 *
 * Of any number of processes that try at once, exactly one succeeds, also where the lock is stale. To replace a stale
 * lock takes a lock of its own, `<path>.takeover`, which is got in the very same way: two processes that both found the
 * lock stale would else both replace it, the second one that of the first.
 */
export async function claim(path: string, owner: LockOwner, options: ClaimOptions): Promise<void> {
  while (!(await place(path, owner, options))) {
    const found = await readText(options, path);
    if (found === undefined) continue;
    const verdict = await judge(path, found, owner, options);
    if (verdict === 'owned') throw inUse(options.file, parseOwner(found));
    if (verdict === 'stale' && (await takeOver(path, found, owner, options))) return;
  }
}

/** Puts the lock at `path` if there is none. False where there is one. */
export async function place(path: string, owner: LockOwner, { disk }: ClaimOptions): Promise<boolean> {
  const draft = `${path}.${owner.token}`;
  await createFile(disk, draft, ownerText(owner));
  try {
    // Unlike a file that is made and then written, a linked one is never seen empty.
    await disk.link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    if (!hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL')) throw error;
  } finally {
    await disk.unlink(draft).catch(() => {});
  }
  // A file system without hard links.
  try {
    await createFile(disk, path, ownerText(owner));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** The text of a file; undefined where there is none. */
export async function readText({ disk }: ClaimOptions, path: string): Promise<string | undefined> {
  try {
    return await disk.readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Whether the owner of the lock lives: by its process where that can be seen, else by its heartbeat. */
async function judge(
  path: string,
  found: string,
  self: LockOwner,
  options: ClaimOptions,
): Promise<'owned' | 'stale' | 'changed'> {
  const owner = parseOwner(found);
  // The lock of another file came here with a copy, as from a backup, or this file is mounted twice.
  const life = owner === undefined || owner.file !== self.file ? 'unknown' : await lifeOf(owner, self);
  if (life !== 'unknown') return life === 'running' ? 'owned' : 'stale';
  const { patienceMs = 4000 } = options;
  for (const end = performance.now() + patienceMs; performance.now() < end; ) {
    await sleep(Math.min(100, patienceMs / 10));
    const later = await readText(options, path);
    if (later === found) continue;
    return owner !== undefined && parseOwner(later ?? '')?.token === owner.token ? 'owned' : 'changed';
  }
  return 'stale';
}

/** Replaces a stale lock, if it still is the one that was found. False where it is not. */
async function takeOver(path: string, found: string, owner: LockOwner, options: ClaimOptions): Promise<boolean> {
  const { disk } = options;
  const guard = `${path}.takeover`;
  await claim(guard, owner, options);
  const draft = `${path}.${owner.token}`;
  try {
    if ((await readText(options, path)) !== found) return false;
    await createFile(disk, draft, ownerText(owner));
    await disk.rename(draft, path);
    return true;
  } finally {
    await disk.unlink(draft).catch(() => {});
    // Should it stay, it is stale once this process ends.
    await disk.unlink(guard).catch(() => {});
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { createFile, type Disk, hasCode } from './disk.ts';
import { FileInUse, type LockOwner, ownerText, parseOwner } from './lock-owner.ts';
import { lifeOf } from './process-identity.ts';

export interface ClaimOptions {
  /** The file to own. */
  file: string;
  disk: Disk;
  /**
   * How long the lock of an owner that cannot be seen must stay unchanged to be taken over, in milliseconds. @default
   * 4000
   */
  patienceMs?: number;
  /** How long to wait for a running owner to release the lock, in milliseconds. @default 0 */
  waitMs?: number | undefined;
  /** Is called once, before waiting, with the error for not waiting. */
  onWait?: ((inUse: FileInUse) => void) | undefined;
}

/**
 * Makes `owner` the owner of the lock at `path`, or rejects with an OperationError that names its current owner.
 *
 * If several processes try at once, exactly one succeeds, even if the lock is stale. Replacing a stale lock requires
 * another lock, `<path>.takeover`, which is claimed in the same way. Otherwise, two processes that both find the lock
 * stale would both replace it, the second one replacing the first one's lock.
 */
export async function claim(path: string, owner: LockOwner, options: ClaimOptions): Promise<void> {
  const { waitMs = 0, onWait = () => {} } = options;
  const end = performance.now() + waitMs;
  let isWaiting = false;
  while (!(await createLock(path, owner, options))) {
    const found = await readText(options, path);
    if (found === undefined) continue;
    const verdict = await judge(path, found, owner, options);
    if (verdict === 'owned') {
      const inUse = new FileInUse(options.file, parseOwner(found));
      if (performance.now() >= end) throw inUse;
      if (!isWaiting) onWait(inUse);
      isWaiting = true;
      await sleep(Math.min(100, waitMs));
    }
    if (verdict === 'stale' && (await takeOver(path, found, owner, options))) return;
  }
}

/** Creates the lock at `path`. False if one exists. */
export async function createLock(path: string, owner: LockOwner, { disk }: ClaimOptions): Promise<boolean> {
  const draft = `${path}.${owner.token}`;
  await createFile(disk, draft, ownerText(owner));
  try {
    // A file that is created and then written can be seen empty; a linked one cannot.
    await disk.link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    if (!hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL')) throw error;
  } finally {
    await disk.unlink(draft).catch(() => {});
  }
  // The file system has no hard links.
  try {
    await createFile(disk, path, ownerText(owner));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Reads a file as text; undefined if it does not exist. */
export async function readText({ disk }: ClaimOptions, path: string): Promise<string | undefined> {
  try {
    return await disk.readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Decides whether the owner of the lock is running: by its process if it can be seen, otherwise by its heartbeat. */
async function judge(
  path: string,
  found: string,
  self: LockOwner,
  options: ClaimOptions,
): Promise<'owned' | 'stale' | 'changed'> {
  const owner = parseOwner(found);
  // A lock that names another file was copied here, as from a backup, or this file is mounted twice.
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

/** Replaces a stale lock if it is still the one that was found; otherwise returns false. */
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
    // If it cannot be removed, it becomes stale when this process ends.
    await disk.unlink(guard).catch(() => {});
  }
}

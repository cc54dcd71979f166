import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import type { LockOptions, LockOwner } from '../../src/storage/lock.ts';
import { thisProcess } from '../../src/storage/lock.ts';

/** Options of a lock that soon gives up on an owner without a heartbeat. */
export const lockOptions = (file: string, rest: Partial<LockOptions> = {}): LockOptions => ({
  file,
  disk: fs,
  now: () => new Date(),
  random: randomBytes,
  warn: () => {},
  beatMs: 20,
  patienceMs: 200,
  ...rest,
});

/** Another owner's lock, by default like the one of this process. */
export async function putLock(file: string, rest: Partial<LockOwner> = {}): Promise<LockOwner> {
  const time = '2026-11-20T00:00:00.000Z';
  const owner = { token: 'other', file, ...(await thisProcess()), since: time, heartbeat: time, ...rest };
  // In one step, since an owner that looks at this moment has to find one lock or the other.
  await fs.writeFile(`${file}.put`, `${JSON.stringify(owner)}\n`);
  await fs.rename(`${file}.put`, `${file}.lock`);
  return owner;
}

/** Who has the lock of a file. */
export async function ownerOf(file: string): Promise<LockOwner> {
  return JSON.parse(await fs.readFile(`${file}.lock`, 'utf8'));
}

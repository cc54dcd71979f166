import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { OperationError } from '../errors.ts';
import { acquireLock } from '../journal/lock.ts';
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
  const lock = await acquireLock({
    file,
    disk: fs,
    now: () => new Date(),
    random: randomBytes,
    warn: () => {},
  }).catch((error) => {
    const who = owner === undefined ? '' : ` (process ${owner.pid} on ${owner.host}, since ${owner.since})`;
    throw new OperationError(
      error instanceof OperationError
        ? `Another catalog publish is running in this repository${who}. Wait until it has finished, then run the command again.`
        : `Cannot write ${file}.lock (${(error as Error).message}).`,
      { cause: error },
    );
  });
  try {
    return await work(found === null ? null : new Date(owner?.since ?? 0));
  } finally {
    await lock.release();
  }
}

import * as fs from 'node:fs/promises';
import { join } from 'node:path';
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

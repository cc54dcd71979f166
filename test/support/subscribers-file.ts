import { basename, join } from 'node:path';
import type { Disk } from '../../src/storage/disk.ts';
import * as journal from './journal.ts';

export { systemError } from './journal.ts';

/** What was done to the disk, in order: `write signups.jsonl`, `datasync signups.jsonl`, `sync data` … */
export type Step = string;

export interface ShimmedDisk {
  disk: Disk;
  /** Those on the log and what is beside it, but for its lock. */
  steps: Step[];
  /** Runs before each such step; what it throws or rejects with is the step's failure. */
  before: (step: Step) => unknown;
}

const watched = ['open', 'write', 'datasync', 'sync', 'truncate', 'chmod', 'chown', 'close', 'rename', 'unlink'];

/** The real disk, with every step that matters for durability recorded, and open to failures and delays. */
export function shimDisk(): ShimmedDisk {
  const shimmed: ShimmedDisk = {
    steps: [],
    before: () => {},
    disk: journal.shimDisk(async ({ op, path, args, run }) => {
      if (!watched.includes(op) || path.includes('.lock')) return run();
      const step = `${op} ${basename(op === 'rename' ? String(args[1]) : path)}`;
      await shimmed.before(step);
      shimmed.steps.push(step);
      return run();
    }),
  };
  return shimmed;
}

/** Runs `work` with the path of a file in a folder that is not there yet, within one that is removed after. */
export async function withFolder(work: (path: string, folder: string) => Promise<void>): Promise<void> {
  await journal.withFolder((_, folder) => work(join(folder, 'data', 'signups.jsonl'), folder));
}

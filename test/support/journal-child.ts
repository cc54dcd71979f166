/**
 * A separate process for tests. On `{ lock }` it tries to get a lock, and on `{ unlock }` it releases it. On `{ write
 * }` it writes to a journal without end, and prints what was acknowledged.
 */
import { randomBytes } from 'node:crypto';
import * as disk from 'node:fs/promises';
import { OperationError } from '../../src/lib/errors.ts';
import { openJournal } from '../../src/storage/journal.ts';
import { acquireLock, type Lock } from '../../src/storage/lock.ts';

export interface Order {
  lock?: string;
  unlock?: boolean;
  write?: string;
}

export interface Answer {
  won?: boolean;
  refused?: boolean;
  message?: string;
}

const common = { now: () => new Date(), random: randomBytes, warn: () => {} };
let held: Lock | null = null;

async function obey({ lock, write }: Order): Promise<Answer> {
  if (write !== undefined) {
    await writeTo(write);
    return {};
  }
  if (lock === undefined) {
    await held?.release();
    held = null;
    return {};
  }
  try {
    held = await acquireLock({ ...common, disk, file: lock });
    return { won: true };
  } catch (error) {
    return { won: false, refused: error instanceof OperationError, message: String(error) };
  }
}

async function writeTo(file: string): Promise<void> {
  const prepare = (ids: readonly string[]) => ids.map((id) => ({ id }));
  const journal = await openJournal({ ...common, file, prepare });
  for (let client = 0; client < 16; client += 1) {
    void (async () => {
      for (;;) {
        const { id } = await journal.append(randomBytes(18).toString('hex'));
        // Pipes accept this at once, so everything printed was acknowledged before the process ended.
        process.stdout.write(`${id}\n`);
      }
    })();
  }
}

process.on('message', async (order: Order) => process.send?.(await obey(order)));
process.send?.('ready');

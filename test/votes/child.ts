/** A process of its own for the tests: `write <file>` votes without end, `race` tries for locks as it is told. */
import { randomBytes } from 'node:crypto';
import * as disk from 'node:fs/promises';
import { OperationError } from '../../src/diagnostics.ts';
import { openVoteLog } from '../../src/votes/jsonl.ts';
import { acquireLock, type Lock } from '../../src/votes/lock.ts';

const [task, file = ''] = process.argv.slice(2);
const common = { now: () => new Date(), random: randomBytes, warn: () => {} };

if (task === 'write') {
  const store = await openVoteLog({ ...common, file });
  process.send?.('ready');
  const client = async (number: number): Promise<never> => {
    for (;;) {
      const { id } = await store.append({ slug: 'release-notes', vote: 'yes', address: `192.0.2.${number}` });
      // Pipes take this at once: what stands there was acknowledged before the process ended.
      process.stdout.write(`${id}\n`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, number) => client(number)));
}

if (task === 'race') {
  let lock: Lock | null = null;
  process.on('message', async (message: { try?: string }) => {
    if (message.try === undefined) {
      await lock?.release();
      lock = null;
      process.send?.('released');
      return;
    }
    try {
      lock = await acquireLock({ ...common, disk, file: message.try });
      process.send?.({ won: true });
    } catch (error) {
      process.send?.({ won: false, refused: error instanceof OperationError, message: String(error) });
    }
  });
  process.send?.('ready');
}

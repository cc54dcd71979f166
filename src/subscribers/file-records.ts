import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { type Disk, hasCode } from '../journal/disk.ts';
import { openJournal } from '../journal/journal.ts';
import { newline, readLines } from '../journal/lines.ts';
import { isPacked, rotatedFiles } from '../journal/rotated.ts';
import { parseRecord } from '../text-safety/bounded-input.ts';
import { parseLine } from './line.ts';
import type { SubscriptionRecords } from './provider.ts';
import { RecordIndex } from './record-index.ts';

/**
 * Reads the subscriptions in a file, which another process may own: each call reads only what was added since the last one,
 * or everything if the file was replaced. Suppressed addresses are in `suppressed.jsonl` next to it, which has no lasting owner.
 */
export function fileRecords(file: string, disk: Disk = fs): Omit<SubscriptionRecords, 'mark'> {
  const suppressed = join(dirname(file), 'suppressed.jsonl');
  let index = new RecordIndex();
  let read = { inode: 0, bytes: 0 };
  let turn: Promise<unknown> = Promise.resolve();
  /** The file has one owner at a time, also within this process. */
  let adding: Promise<unknown> = Promise.resolve();

  async function refresh(): Promise<void> {
    const { ino, size } = await disk.stat(file).catch((error) => {
      if (hasCode(error, 'ENOENT')) return { ino: 0, size: 0 };
      throw error;
    });
    if (ino !== read.inode || size < read.bytes) {
      index = new RecordIndex();
      read = { inode: ino, bytes: 0 };
      for (const rotated of await rotatedFiles(file)) if (!isPacked(rotated)) await addLines(rotated, 0);
    }
    if (size > read.bytes) read.bytes += await addLines(file, read.bytes);
  }

  /** Returns how many bytes were read: a line that is still being written is left for the next time. */
  async function addLines(path: string, start: number): Promise<number> {
    let bytes = 0;
    for await (const line of readLines(path, start)) {
      if (line.at(-1) !== newline) break;
      bytes += line.length;
      const parsed = parseLine(line);
      if (parsed !== undefined) index.add(parsed);
    }
    return bytes;
  }

  return {
    find(wanted) {
      const found = turn.then(refresh).then(() => index.find(wanted));
      turn = found.catch(() => {});
      return found;
    },
    suppressions: () => readSuppressions(suppressed),
    suppress(hash, time) {
      const stored = adding.then(() => addSuppression(suppressed, { hash, time }, disk));
      adding = stored.catch(() => {});
      return stored;
    },
  };
}

const suppression = z.object({ hash: z.string(), time: z.iso.datetime() });
type Suppression = z.infer<typeof suppression>;

async function addSuppression(file: string, entry: Suppression, disk: Disk): Promise<void> {
  const journal = await openJournal<Suppression, Suppression>({
    file,
    prepare: (entries) => entries,
    now: () => new Date(),
    random: randomBytes,
    warn: () => {},
    ownerOnly: true,
    disk,
  });
  await journal.append(entry).finally(() => journal.close());
}

async function readSuppressions(file: string): Promise<ReadonlyMap<string, string>> {
  const latest = new Map<string, string>();
  for await (const line of readLines(file)) {
    try {
      const { hash, time } = suppression.parse(parseRecord(line.toString('utf8')));
      if (time > (latest.get(hash) ?? '')) latest.set(hash, time);
    } catch {
      // A torn line was never acknowledged.
    }
  }
  return latest;
}

import { randomBytes } from 'node:crypto';
import { OperationError, systemReason } from '../errors.ts';
import { type Disk, reasonOf } from '../journal/disk.ts';
import { openLastingJournal } from '../journal/lasting-journal.ts';
import { SubscriptionFailed } from './failure.ts';
import { fileRecords } from './file-records.ts';
import type { StoredLine } from './line.ts';
import type { SubscriberLog, SubscriberProvider } from './provider.ts';
import { causeCode, safeCause, secretsOf } from './safe-errors.ts';

export interface SubscriberFileTools {
  file: string;
  log: SubscriberLog;
  /** Milliseconds since 1970. @default Date.now */
  now?: () => number;
  /** @default node:fs/promises */
  disk?: Disk;
}

/**
 * Stores subscriptions in a file of JSON lines `{id, time, email, list, note, form, pending}` that only its owner can read.
 * What becomes of them is appended as lines `{id, time, event}`.
 *
 * An address that subscribes again is written again; readSubscribers merges its lines. So known addresses take as long as
 * new ones, and new notes are kept.
 *
 * While the disk fails, subscriptions are refused, and the file is reopened until that works. Throws OperationError if
 * another process has the file, or its path cannot be a file.
 */
export async function openSubscriberFile({
  file,
  log,
  now = Date.now,
  disk,
}: SubscriberFileTools): Promise<SubscriberProvider> {
  const provider = 'file';
  const journal = await openLastingJournal<StoredLine, StoredLine>({
    file,
    prepare: (lines) => lines.map(stored),
    now: () => new Date(now()),
    random: randomBytes,
    warn: (message) => log.warn({ provider, file }, message),
    ownerOnly: true,
    ...(disk && { disk }),
  }).catch((cause: unknown) => {
    if (cause instanceof OperationError) throw cause;
    throw new OperationError(`The subscriber file ${file} cannot be used: ${systemReason(reasonOf(cause))}.`, {
      cause,
    });
  });
  return {
    name: provider,
    records: {
      ...fileRecords(file, disk),
      mark: async (id, event, time) => void (await journal.append({ id, time, event })),
    },
    async add(subscription) {
      try {
        await journal.append(subscription);
        return 'accepted';
      } catch (error) {
        const secrets = secretsOf(subscription.email, subscription.note);
        const facts = { code: causeCode(error, secrets), cause: safeCause(error, secrets) };
        throw new SubscriptionFailed({ provider, reason: 'storage', isLogged: !journal.isOpen(), ...facts });
      }
    },
    check: () => journal.check(),
    reopen: () => journal.reopen(),
    close: () => journal.close(),
  };
}

/** Copies the fields that are stored, and no others that a caller may have added. */
function stored(line: StoredLine): StoredLine {
  if ('event' in line) return line;
  // JSON has no place for values that are undefined.
  const { id, time, email, list, note, form, pending } = line;
  return { id, time, email, list, note, form, pending };
}

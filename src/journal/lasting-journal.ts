import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError } from '../diagnostics/diagnostic.ts';
import { hasCode, reasonOf } from './disk.ts';
import { type Journal, type JournalOptions, openJournal } from './journal.ts';

/** A journal that outlives its disk and its lock: while it cannot be used, items are refused and it is opened again. */
export interface LastingJournal<Item, Stored> extends Omit<Journal<Item, Stored>, 'lost'> {
  /** Whether it is open now, with this process as its owner. */
  isOpen(): boolean;
}

export interface LastingOptions<Item, Stored> extends JournalOptions<Item, Stored> {
  /** How long to wait before opening it again, in milliseconds. The wait doubles with each failure, up to a minute. @default 1000 */
  retryMs?: number;
  /** How long a disk may take at the start before the journal counts as failing, in milliseconds. @default 10000 */
  startMs?: number;
}

const longestRetryMs = 60_000;

/** Codes that say that the path was named wrongly, which no waiting changes. */
const misuse = ['ENOTDIR', 'EISDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG'];

/**
 * Opens a journal as openJournal does, and keeps trying if its disk fails or another process takes its lock later.
 *
 * Rejects only where the start is a mistake: with an OperationError that names the owner if there is one already, and
 * with the system's error if the path can be no file.
 */
export async function openLastingJournal<Item, Stored extends object>({
  retryMs = 1_000,
  startMs = 10_000,
  ...options
}: LastingOptions<Item, Stored>): Promise<LastingJournal<Item, Stored>> {
  let journal: Journal<Item, Stored> | null = null;
  let reason: unknown = new Error('The disk does not answer.');
  let file = options.file;
  let failures = 0;
  let closing = false;
  const stop = new AbortController();

  async function open(): Promise<void> {
    const opened = await openJournal<Item, Stored>(options);
    if (closing) return opened.close();
    file = opened.file;
    journal = opened;
    failures = 0;
    void opened.lost.then(async (error) => {
      journal = null;
      reason = error;
      await opened.close().catch(() => {});
      trying = keepTrying();
    });
  }

  async function keepTrying(): Promise<void> {
    while (journal === null && !closing) {
      await pause(Math.min(retryMs * 2 ** failures, longestRetryMs));
      if (closing) return;
      try {
        await open();
        options.warn(`${options.file} can be used again.`);
      } catch (error) {
        reason = error;
        failures += 1;
      }
    }
  }

  async function pause(ms: number): Promise<void> {
    // An aborted pause is over.
    await sleep(ms, null, { signal: stop.signal, ref: false }).catch(() => {});
  }

  const first = open();
  let trying: Promise<void> = first.catch(() => {});
  try {
    await Promise.race([first, pause(startMs)]);
  } catch (error) {
    if (error instanceof OperationError || hasCode(error, ...misuse)) throw error;
    reason = error;
  }
  if (journal === null) {
    options.warn(`${file} cannot be used (${reasonOf(reason)}). Until it can, nothing is stored in it. Trying again.`);
    trying = trying.then(keepTrying);
  }

  return {
    get file() {
      return file;
    },
    isOpen: () => journal !== null,
    append: (item) => journal?.append(item) ?? Promise.reject(reason),
    check: () => journal?.check() ?? Promise.reject(reason),
    async reopen() {
      await journal?.reopen();
    },
    async close() {
      closing = true;
      stop.abort();
      await Promise.all([journal?.close(), trying]);
    },
  };
}

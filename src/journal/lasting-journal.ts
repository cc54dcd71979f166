import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError } from '../errors.ts';
import { hasCode, reasonOf } from './disk.ts';
import { type Journal, type JournalOptions, openJournal } from './journal.ts';

/** A journal that recovers from a failing disk and a lost lock: it refuses items and keeps trying to reopen. */
export interface LastingJournal<Item, Stored> extends Omit<Journal<Item, Stored>, 'lost'> {
  /** Whether it is open, with this process as its owner. */
  isOpen(): boolean;
}

export interface LastingOptions<Item, Stored> extends JournalOptions<Item, Stored> {
  /**
   * How long to wait before opening it again, in milliseconds. Doubles with each failure, up to a minute. @default 1000
   */
  retryMs?: number;
  /** How long opening may take at the start before the journal counts as failing, in milliseconds. @default 10000 */
  startMs?: number;
  /** Waits before another attempt, unless the signal ends it. @default a timer */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const longestRetryMs = 60_000;

/** Codes of a wrong path, which waiting does not fix. */
const misuse = ['ENOTDIR', 'EISDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG'];

/**
 * Opens a journal like openJournal, and reopens it if its disk fails or another process takes its lock.
 *
 * Rejects only for a mistake at the start: with an OperationError that names the owner if there is one, and with a
 * system error if the path cannot be that of a file.
 */
export async function openLastingJournal<Item, Stored extends object>({
  retryMs = 1_000,
  startMs = 10_000,
  wait = (ms, signal) => sleep(ms, null, { signal, ref: false }),
  ...options
}: LastingOptions<Item, Stored>): Promise<LastingJournal<Item, Stored>> {
  let journal: Journal<Item, Stored> | null = null;
  let reason: unknown = new Error('The disk does not respond.');
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
      // Aborting ends the wait.
      await wait(Math.min(retryMs * 2 ** failures, longestRetryMs), stop.signal).catch(() => {});
      if (closing) return;
      try {
        await open();
        options.warn(`${options.file} is available again.`);
      } catch (error) {
        reason = error;
        failures += 1;
      }
    }
  }

  const first = open();
  let trying: Promise<void> = first.catch(() => {});
  try {
    await Promise.race([first, sleep(startMs, null, { signal: stop.signal, ref: false }).catch(() => {})]);
  } catch (error) {
    if (error instanceof OperationError || hasCode(error, ...misuse)) throw error;
    reason = error;
  }
  if (journal === null) {
    options.warn(`${file} cannot be used (${reasonOf(reason)}). Nothing can be stored. The server keeps trying.`);
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

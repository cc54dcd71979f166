import * as fs from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Disk, makeFolder, realPath } from './disk.ts';
import { groupCommit } from './group-commit.ts';
import { openLineFile } from './line-file.ts';
import { acquireLock, type LockOptions } from './lock.ts';

/** A file of JSON lines that only grows, and has one owner. */
export interface Journal<Item, Stored> {
  /** The file's own path, links followed. */
  readonly file: string;
  /**
   * Stores an item as a line, and resolves only once it is durable. Those of concurrent calls are stored in the order
   * of the calls, and share a sync. When it rejects, the line is not in the file, or is cut off before the next one.
   */
  append(item: Item): Promise<Stored>;
  /** Resolves with the reason once another process has the file. It stays closed to this one, then. */
  readonly lost: Promise<Error>;
  /** Resolves if an item could be stored now, and rejects with the reason if not. */
  check(): Promise<void>;
  /** Begins a new file where the old one was renamed away; that is noticed before the next line even without. */
  reopen(): Promise<void>;
  /** Waits for the lines under way, then lets go of the file. Items that come later are refused. */
  close(): Promise<void>;
}

export interface JournalOptions<Item, Stored> extends Pick<LockOptions, 'beatMs' | 'patienceMs'> {
  /** The file. It and its folder are made where they are missing. */
  file: string;
  /** Makes of the items of one pass, in order, what is written: one object for each. Called right before the write. */
  prepare(items: readonly Item[]): readonly Stored[] | Promise<readonly Stored[]>;
  now(): Date;
  /** Gives that many bytes from a cryptographic source. */
  random(bytes: number): Buffer;
  /** Is told, in a sentence, what an operator should know. It holds nothing of what the lines say. */
  warn(message: string): void;
  /** Closes a file that others can read, with a warning, as it may have come from a backup. @default false */
  ownerOnly?: boolean;
  /** @default node:fs/promises */
  disk?: Disk;
}

/**
 * Opens a file of JSON lines as its one owner.
 *
 * Beside it stand `<file>.lock`, and after a crash `<file>.torn`. Rejects with an OperationError that names the owner
 * where there is another, and with the system's error where the file cannot be used.
 */
export async function openJournal<Item, Stored extends object>(
  options: JournalOptions<Item, Stored>,
): Promise<Journal<Item, Stored>> {
  const { prepare, warn, ownerOnly, disk = fs } = options;
  await makeFolder(disk, dirname(resolve(options.file)));
  const file = await realPath(disk, options.file);
  const lock = await acquireLock({ ...options, disk, file });
  const lines = await openLineFile({ path: file, disk, warn, ownerOnly, mayWrite: lock.confirm }).catch(
    async (error) => {
      await lock.release();
      throw error;
    },
  );
  const commit = groupCommit(store);
  // What is not part of a pass waits for its turn between two passes.
  let turn: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | null = null;

  function alone<Result>(task: () => Promise<Result>): Promise<Result> {
    const done = turn.then(task);
    turn = done.catch(() => {});
    return done;
  }

  async function store(items: readonly Item[]): Promise<readonly Stored[]> {
    const stored = await prepare(items);
    const text = stored.map((each) => `${JSON.stringify(each)}\n`).join('');
    await alone(() => lines.append(text));
    return stored;
  }

  async function close(): Promise<void> {
    await commit.idle();
    await alone(() => lines.close()).finally(() => lock.release());
  }

  return {
    file,
    lost: lock.lost,
    append(item) {
      return closing === null ? commit.add(item) : Promise.reject(new Error('The log is closed.'));
    },
    check() {
      return closing === null ? alone(() => lines.check()) : Promise.reject(new Error('The log is closed.'));
    },
    async reopen() {
      if (closing === null) await alone(() => lines.reopen());
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

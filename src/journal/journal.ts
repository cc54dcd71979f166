import * as fs from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Disk, makeFolder, realPath } from './disk.ts';
import { type GroupCommitOptions, groupCommit } from './group-commit.ts';
import { LineFile } from './line-file.ts';
import { acquireLock, type LockOptions } from './lock.ts';

/** A file of JSON lines that only grows and has one owner. */
export interface Journal<Item, Stored> {
  /** The file's path, with links resolved. */
  readonly file: string;
  /**
   * Stores an item as a line, and resolves once the line is durable. Concurrent calls are stored in the order of the
   * calls and share a sync. If it rejects, the line is not in the file, or is cut off before the next line.
   */
  append(item: Item): Promise<Stored>;
  /** Resolves with the reason once another process owns the file. This journal then stores nothing more. */
  readonly lost: Promise<Error>;
  /** Resolves if an item could be stored now; otherwise rejects with the reason. */
  check(): Promise<void>;
  /** Starts a new file if the old one was renamed. Without this call, that happens before the next line. */
  reopen(): Promise<void>;
  /** Waits until pending lines are stored, then closes and unlocks the file. Later items are refused. */
  close(): Promise<void>;
}

export interface JournalOptions<Item, Stored>
  extends Pick<LockOptions, 'beatMs' | 'patienceMs'>,
    Pick<GroupCommitOptions, 'onPass'> {
  /** The file. It and its folder are created if they do not exist. */
  file: string;
  /** Turns the items of a pass into the objects to write, one for each, in order. Called right before the write. */
  prepare(items: readonly Item[]): readonly Stored[] | Promise<readonly Stored[]>;
  now(): Date;
  /** Returns this many cryptographically random bytes. */
  random(bytes: number): Buffer;
  /** Called with a sentence for the operator, which contains nothing from the lines. */
  warn(message: string): void;
  /** Whether to remove other users' permissions, with a warning: a backup may have restored them. @default false */
  ownerOnly?: boolean;
  /** @default node:fs/promises */
  disk?: Disk;
}

/**
 * Opens a file of JSON lines as its only owner.
 *
 * `<file>.lock` is next to it and, after a crash, `<file>.torn`. Rejects with an OperationError that names the owner if
 * there is another one, and with a system error if the file cannot be used.
 */
export async function openJournal<Item, Stored extends object>(
  options: JournalOptions<Item, Stored>,
): Promise<Journal<Item, Stored>> {
  const { prepare, warn, ownerOnly, onPass, disk = fs } = options;
  await makeFolder(disk, dirname(resolve(options.file)));
  const file = await realPath(disk, options.file);
  const lock = await acquireLock({ ...options, disk, file });
  const lines = await LineFile.open({ path: file, disk, warn, ownerOnly, mayWrite: () => lock.confirm() }).catch(
    async (error) => {
      await lock.release();
      throw error;
    },
  );
  const commit = groupCommit(store, { ready: () => alone(() => lines.ready()), ...(onPass && { onPass }) });
  // Checking, reopening and closing happen between passes.
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

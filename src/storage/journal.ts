import * as fs from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { OperationError } from '../lib/errors.ts';
import { type Disk, hasCode, makeFolder, realPath, reasonOf } from './disk.ts';
import { LineFile } from './line-file.ts';
import { acquireLock, type LockOptions } from './lock.ts';

/** Collects items that arrive during a pass, so that the next pass stores them all at the cost of one. */
export interface GroupCommit<Item, Result> {
  /** Settles with the pass that includes the item. */
  add(item: Item): Promise<Result>;
  /** Resolves once no items are waiting and no pass is running. */
  idle(): Promise<void>;
}

export interface GroupCommitOptions {
  /** The most items in a pass. @default 1000 */
  maxPerPass?: number;
  /**
   * The most items that may wait. More are refused, so that memory does not fill up while a disk hangs. @default 10000
   */
  maxWaiting?: number;
  /**
   * Called before each pass. Items that arrive until it settles join the pass. If it rejects, every item of that pass
   * does. @default one turn of the event loop
   */
  ready?(): Promise<void>;
  /** Called after each pass with how many items were stored, and how long that took, in milliseconds. */
  onPass?(items: number, ms: number): void;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Calls `flush` with the items of each pass, in the order of their arrival; it returns one result for each item. It is
 * never called during an earlier call. If it rejects, every item of that pass does.
 */
export function groupCommit<Item, Result>(
  flush: (items: readonly Item[]) => Promise<readonly Result[]>,
  { maxPerPass = 1000, maxWaiting = 10_000, ready = turn, onPass }: GroupCommitOptions = {},
): GroupCommit<Item, Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const begun = performance.now();
      const readiness = ready();
      // Responses to one pass bring the next requests. If a pass began with the first of them, all others would wait for
      // it, so that each request would take the time of two passes.
      await Promise.allSettled([readiness]);
      const pass = waiting.splice(0, maxPerPass);
      try {
        await readiness;
        const results = await flush(pass.map(({ item }) => item));
        onPass?.(pass.length, performance.now() - begun);
        for (const [index, { resolve }] of pass.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of pass) reject(error);
      }
    }
    running = null;
  }

  return {
    add(item) {
      if (waiting.length >= maxWaiting)
        return Promise.reject(new Error(`${maxWaiting} items are already waiting to be stored.`));
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running ??= run();
      });
    },
    async idle() {
      await running;
    },
  };
}

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

/**
 * Lists the rotated files of a log, by name: votes.jsonl.1, votes.jsonl-20261201, votes-20261201.jsonl and the like,
 * also compressed. They are next to the real file if the path is a link. Empty if the folder does not exist.
 */
export async function rotatedFiles(path: string): Promise<string[]> {
  const file = await realPath(fs, path).catch((error) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (file === null) return [];
  const folder = dirname(file);
  const name = basename(file);
  const stem = basename(file, extname(file));
  const isRotated = (other: string) => {
    if (/\.(?:torn|erasing|redacting|lock|secret)(?:\.|$)/.test(other)) return false;
    if (other.startsWith(name)) return /^[.-]\d[\w.-]*$/.test(other.slice(name.length));
    return other.startsWith(stem) && /^[.-]\d[\d_T-]*$/.test(withoutEndings(other, extname(file)).slice(stem.length));
  };
  return (await fs.readdir(folder))
    .filter((other) => other !== name && isRotated(other))
    .sort()
    .map((other) => join(folder, other));
}

function withoutEndings(name: string, extension: string): string {
  const plain = name.replace(packed, '');
  return extension !== '' && plain.endsWith(extension) ? plain.slice(0, -extension.length) : '';
}

const packed = /\.(?:gz|bz2|xz|zst|zip)$/;

/** Whether the name of a file is that of a compressed one. */
export function isPacked(file: string): boolean {
  return packed.test(file);
}

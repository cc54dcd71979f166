import * as fs from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { OperationError } from '../lib/errors.ts';
import { createFile, type Disk, hasCode, makeFolder, realPath, reasonOf, writeAll } from './disk.ts';
import { isSame, type OpenFile, openFile, prepareFile, statusOf, type TailOptions } from './line-file.ts';
import { acquireLock, type Lock, type LockOptions } from './lock.ts';

/** Collects items that arrive during a pass, so that the next pass stores them all at the cost of one. */
interface GroupCommit<Item, Result> {
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

export interface JournalOptions<Item, Stored>
  extends Pick<LockOptions, 'beatMs' | 'patienceMs' | 'waitMs'>,
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

/** How much check() writes, in bytes: a block of most file systems, and more than any line. */
const probeBytes = 4096;

/** Codes of a wrong path, which waiting does not fix. */
const misuse = ['ENOTDIR', 'EISDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG'];

/**
 * A file of JSON lines that only grows and has one owner. `<file>.lock` is next to it and, after a crash, `<file>.torn`.
 *
 * If a write or a sync fails, the lines are cut off and the file is opened again: at once or, if that fails too, before
 * the next lines. Until then, all lines are refused. The same bytes are never synced twice, because after a failed sync
 * Linux may drop them and report success the second time. If the file was renamed in the meantime and can no longer be
 * cut, the operator gets a warning, and the new file is used.
 *
 * Before each pass, the journal checks that the path still names the open file, with the length it had. If it was
 * renamed or removed, a new one is opened, even without reopen(). Lines are written again, before they are acknowledged,
 * if the file was removed during the write; if it was renamed during the write, they stay in the renamed file.
 */
export class Journal<Item, Stored extends object> {
  readonly #options: LastingOptions<Item, Stored>;
  readonly #commit: GroupCommit<Item, Stored>;
  #at: TailOptions;
  #lock!: Lock;
  #file!: OpenFile;
  /** Whether refused lines may still be in the file. */
  #broken = false;
  /** Why it is not open; null if it is. */
  #reason: unknown = new Error('The disk does not respond.');
  /** What happens to the file, one thing at a time: checking, reopening and closing happen between passes. */
  #turn: Promise<unknown> = Promise.resolve();
  #failures = 0;
  #trying: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;
  readonly #stop = new AbortController();

  constructor(options: LastingOptions<Item, Stored>) {
    const { file, disk = fs, warn, ownerOnly, onPass } = options;
    this.#options = options;
    this.#at = { path: file, disk, warn, ownerOnly };
    const ready = () => this.#alone(() => this.#beReady().then(() => this.#followPath()));
    this.#commit = groupCommit((items) => this.#store(items), { ready, ...(onPass && { onPass }) });
  }

  /** The file's path, with links resolved once it is open. */
  get file(): string {
    return this.#at.path;
  }

  /** Resolves with the reason once another process owns the file. This owner then stores nothing more. */
  get lost(): Promise<Error> {
    return this.#lock.lost;
  }

  /** Whether it is open, with this process as its owner. */
  readonly isOpen = (): boolean => this.#reason === null;

  /** Becomes the owner, opens the file or creates it with mode 0600, and repairs its end (see repairTail). */
  async open(): Promise<void> {
    const { disk } = this.#at;
    await makeFolder(disk, dirname(resolve(this.#options.file)));
    const path = await realPath(disk, this.#options.file);
    const lock = await acquireLock({ ...this.#options, disk, file: path });
    const at = { ...this.#at, path };
    try {
      this.#file = await prepareFile(await openFile(at), at);
    } catch (error) {
      await lock.release();
      throw error;
    }
    this.#lock = lock;
    this.#at = at;
    this.#broken = false;
    this.#reason = null;
    if (this.#closing !== null) await this.#end();
  }

  /** As openLastingJournal says. */
  async openLasting(): Promise<void> {
    const { startMs = 10_000, warn } = this.#options;
    const first = this.#openAndWatch();
    this.#trying = first.catch(() => {});
    try {
      await Promise.race([first, sleep(startMs, null, { signal: this.#stop.signal, ref: false }).catch(() => {})]);
    } catch (error) {
      if (error instanceof OperationError || hasCode(error, ...misuse)) throw error;
      this.#reason = error;
    }
    if (this.isOpen()) return;
    warn(`${this.file} cannot be used (${reasonOf(this.#reason)}). Nothing can be stored. The server keeps trying.`);
    this.#trying = this.#trying.then(() => this.#keepTrying());
  }

  /**
   * Stores an item as a line, and resolves once the line is durable. Concurrent calls are stored in the order of the
   * calls and share a sync. If it rejects, the line is not in the file, or is cut off before the next line.
   */
  append(item: Item): Promise<Stored> {
    return this.#unlessClosed(() => this.#commit.add(item));
  }

  /** Resolves if an item could be stored now. To find out, it writes a file next to this one and removes it. */
  check(): Promise<void> {
    return this.#unlessClosed(() =>
      this.#alone(async () => {
        const { path, disk } = this.#at;
        await this.#beReady();
        const probe = `${path}.probe`;
        // A process that was killed during a check leaves such a file.
        await disk.unlink(probe).catch(() => {});
        await createFile(disk, probe, Buffer.alloc(probeBytes));
        await disk.unlink(probe);
      }),
    );
  }

  /** Starts a new file if the old one was renamed. Without this call, that happens before the next line. */
  async reopen(): Promise<void> {
    if (this.#closing !== null || !this.isOpen()) return;
    await this.#alone(() => this.#beReady().then(() => this.#openAgain()));
  }

  /** Waits until pending lines are stored, then closes and unlocks the file. Later items are refused. */
  close(): Promise<void> {
    this.#stop.abort();
    this.#closing ??= Promise.all([this.isOpen() && this.#end(), this.#trying]).then(() => {});
    return this.#closing;
  }

  async #openAndWatch(): Promise<void> {
    await this.open();
    this.#failures = 0;
    void this.lost.then((error) => {
      this.#reason = error;
      const ended = this.#end().catch(() => {});
      this.#trying = ended.then(() => this.#keepTrying());
    });
  }

  async #keepTrying(): Promise<void> {
    const { file, warn, retryMs = 1_000 } = this.#options;
    const { wait = (ms, signal) => sleep(ms, null, { signal, ref: false }) } = this.#options;
    while (!this.isOpen()) {
      // Aborting ends the wait.
      await wait(Math.min(retryMs * 2 ** this.#failures, longestRetryMs), this.#stop.signal).catch(() => {});
      if (this.#closing !== null) return;
      try {
        await this.#openAndWatch();
        warn(`${file} is available again.`);
      } catch (error) {
        this.#reason = error;
        this.#failures += 1;
      }
    }
  }

  #unlessClosed<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#closing !== null) return Promise.reject(new Error('The log is closed.'));
    return this.isOpen() ? task() : Promise.reject(this.#reason);
  }

  #alone<Result>(task: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(task);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #store(items: readonly Item[]): Promise<readonly Stored[]> {
    const stored = await this.#options.prepare(items);
    const lines = Buffer.from(stored.map((each) => `${JSON.stringify(each)}\n`).join(''));
    await this.#alone(() => this.#add(lines));
    return stored;
  }

  /** Adds whole lines, and resolves once they are durable. If it rejects, none of them is in the file, now or later. */
  async #add(lines: Buffer): Promise<void> {
    const { path, warn } = this.#at;
    await this.#lock.confirm();
    for (let attempt = 1; ; attempt += 1) {
      await this.#write(lines);
      // The lines are durable by now, so an error while checking the path must not refuse them.
      if ((await statusOf(this.#file, this.#at).catch(() => 'unchanged')) !== 'removed') return;
      if (attempt === 3) throw new Error(`Another program keeps removing ${path}.`);
      await this.#openAgain();
      warn(`${path} was removed by another program while lines were written. They were written to a new file.`);
    }
  }

  async #end(): Promise<void> {
    const lock = this.#lock;
    await this.#commit.idle();
    await this.#alone(() => this.#closeFile()).finally(() => lock.release());
  }

  async #closeFile(): Promise<void> {
    const { path, warn } = this.#at;
    if (this.#broken) {
      await this.#repair().catch((cause) =>
        warn(`${path} may contain lines that were not accepted: ${reasonOf(cause)}`),
      );
    }
    await this.#file.handle.close();
  }

  async #beReady(): Promise<void> {
    await this.#lock.confirm();
    if (this.#broken) await this.#repair();
  }

  async #openAgain(): Promise<void> {
    await this.#use(await openFile(this.#at));
  }

  /** Uses a newly opened file from now on. */
  async #use(opened: OpenFile): Promise<void> {
    const old = this.#file;
    this.#file = await prepareFile(opened, this.#at);
    await old.handle.close().catch(() => {});
  }

  /** Opens the path again if another program changed, renamed or removed the file since the last write. */
  async #followPath(): Promise<void> {
    const { path, warn } = this.#at;
    const status = await statusOf(this.#file, this.#at);
    if (status === 'unchanged') return;
    await this.#openAgain();
    warn(
      `${path} was ${status} by another program while it was open. New lines go to the file that now has this name.`,
    );
  }

  async #write(bytes: Buffer): Promise<void> {
    const { path, warn } = this.#at;
    try {
      await writeAll(this.#file.handle, bytes);
      await this.#file.handle.datasync();
    } catch (error) {
      this.#broken = true;
      await this.#repair().catch((cause) =>
        warn(`${path} cannot be repaired yet, so nothing is stored in it: ${reasonOf(cause)}`),
      );
      throw error;
    }
    this.#file.length += bytes.length;
  }

  /** Cuts off what a failed write or sync left, and opens the path again. */
  async #repair(): Promise<void> {
    await this.#lock.confirm();
    const opened = await openFile(this.#at);
    try {
      await this.#cutBack(opened);
    } catch (error) {
      await opened.handle.close();
      throw error;
    }
    await this.#use(opened);
    this.#broken = false;
  }

  /** Cuts with the new descriptor if the path still names the file, otherwise with the old one. */
  async #cutBack(opened: OpenFile): Promise<void> {
    const { path, warn } = this.#at;
    const same = isSame(opened, this.#file);
    const { handle } = same ? opened : this.#file;
    try {
      // If another program shortened the file, truncate() would fill it up with zeros.
      if ((await handle.stat()).size > this.#file.length) await handle.truncate(this.#file.length);
      // prepareFile() syncs the new descriptor.
      if (!same) await handle.datasync();
    } catch (error) {
      if (same) throw error;
      warn(
        `${path} was replaced after a failed write. The old file may end with lines that were not accepted (${reasonOf(error)}).`,
      );
    }
  }
}

/**
 * Opens a file of JSON lines as its only owner. Rejects with an OperationError that names the owner if there is another
 * one, and with a system error if the file cannot be used.
 */
export async function openJournal<Item, Stored extends object>(
  options: JournalOptions<Item, Stored>,
): Promise<Journal<Item, Stored>> {
  const journal = new Journal(options);
  await journal.open();
  return journal;
}

/**
 * Opens a journal that recovers from a failing disk and a lost lock: it refuses items and keeps trying to open the file.
 *
 * Rejects only for a mistake at the start: with an OperationError that names the owner if there is one, and with a
 * system error if the path cannot be that of a file.
 */
export async function openLastingJournal<Item, Stored extends object>(
  options: LastingOptions<Item, Stored>,
): Promise<Journal<Item, Stored>> {
  const journal = new Journal(options);
  await journal.openLasting();
  return journal;
}

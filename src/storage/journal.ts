import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import * as fs from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperationError, orElse, reasonOf } from '../lib/errors.ts';
import { inTurn } from '../lib/lazy.ts';
import { createFile, type Disk, hasCode, makeFolder, realPath, syncFolder, undo, writeAll } from './disk.ts';
import { type GroupCommitOptions, groupCommit } from './group-commit.ts';
import { newline } from './line-file.ts';
import { acquireLock, type Lock, type LockOptions } from './lock.ts';

type TailOptions = { path: string } & Required<Pick<JournalOptions<never, never>, 'disk' | 'warn' | 'ownerOnly'>>;

/**
 * The file next to a log that keeps what a crash left of its last line. One file for all crashes, so that it can be
 * searched.
 */
export function tornPath(path: string): string {
  return `${path}.torn`;
}

/**
 * Makes a log of JSON lines end with a whole line, even after a crash, and returns its new length.
 *
 * If the last line is not a whole JSON object, it is moved to the file that tornPath names, durably and with a warning.
 * If it only lacks its newline, the newline is added. Earlier lines are not checked. `handle` must be open for reading
 * and appending; changes to it are not synced.
 */
async function repairTail(handle: FileHandle, options: TailOptions): Promise<number> {
  const { path, warn } = options;
  const { size } = await handle.stat();
  const start = await startOfLastLine(handle, size);
  const last = await readExactly(handle, start, size);
  const text = last.toString('utf8');
  if (text === '' || text === '\n') return size;
  if (isObject(text)) {
    if (last.at(-1) === newline) return size;
    await writeAll(handle, Buffer.from('\n'));
    return size + 1;
  }
  await setAside(last, options);
  await handle.truncate(start);
  warn(`The last line of ${path} was incomplete. Its ${last.length} bytes were moved to ${tornPath(path)}.`);
  return start;
}

const chunkBytes = 65_536;

/** Where the last line starts, whether or not it ends with a newline. */
async function startOfLastLine(handle: FileHandle, size: number): Promise<number> {
  // The newline at the very end belongs to the last line.
  for (let end = size - 1; end > 0; ) {
    const from = Math.max(0, end - chunkBytes);
    const newlineAt = (await readExactly(handle, from, end)).lastIndexOf(newline);
    if (newlineAt >= 0) return from + newlineAt + 1;
    end = from;
  }
  return 0;
}

async function readExactly(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(to - from);
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, from + done);
    if (bytesRead === 0) throw new Error('The log became shorter while it was read.');
    done += bytesRead;
  }
  return bytes;
}

/** Only an object is certain to be whole: the beginning of a number is a number too. */
function isObject(text: string): boolean {
  const value: unknown = orElse(() => JSON.parse(text), null);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Removes other users' permissions for an open file. Returns what to tell the operator about them; null if there were none. */
async function closeToOthers(handle: FileHandle): Promise<string | null> {
  const isOpen = async () => ((await handle.stat()).mode & 0o077) !== 0;
  // Windows has no such permissions.
  if (process.platform === 'win32' || !(await isOpen())) return null;
  await handle.chmod(0o600);
  // Some file systems, such as exFAT or the drives of Windows in WSL, ignore the new mode.
  return (await isOpen())
    ? 'is open to other users of this machine, since its file system has no permissions. Move it to another file system.'
    : 'was open to other users of this machine; now only its owner can read it.';
}

/**
 * Saves the bytes as a line next to the log, durably, before they are cut off. If that fails, nothing is left there.
 */
async function setAside(bytes: Buffer, { path, disk, ownerOnly }: TailOptions): Promise<void> {
  const aside = tornPath(path);
  const handle = await disk.open(aside, 'a', 0o600);
  try {
    if (ownerOnly) await closeToOthers(handle);
    const { size } = await handle.stat();
    try {
      await writeAll(handle, bytes.at(-1) === newline ? bytes : Buffer.concat([bytes, Buffer.from('\n')]));
      await handle.datasync();
    } catch (error) {
      await (size === 0 ? disk.unlink(aside) : handle.truncate(size)).catch(() => {});
      throw error;
    }
  } finally {
    await handle.close();
  }
  await syncFolder(disk, dirname(path));
}

/** An open file of lines. */
interface OpenFile {
  handle: FileHandle;
  dev: bigint;
  ino: bigint;
  /** How far the file is known to be durable, in bytes. Bytes past this point were never acknowledged. */
  length: number;
}

const flags = constants.O_CREAT | constants.O_RDWR | constants.O_APPEND;

/** Opens a file for reading and appending. Creates it with mode 0600 if it does not exist. */
async function openFile({ path, disk, warn, ownerOnly }: TailOptions): Promise<OpenFile> {
  const handle = await disk.open(path, flags, 0o600);
  try {
    const { dev, ino, size } = await handle.stat({ bigint: true });
    const change = ownerOnly ? await closeToOthers(handle) : null;
    if (change !== null) warn(`${path} ${change}`);
    return { handle, dev, ino, length: Number(size) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Repairs the end of an open file, and makes the file durable, so that lines can be appended. Closes it if that fails.
 */
async function prepareFile(opened: OpenFile, options: TailOptions): Promise<OpenFile> {
  try {
    const length = await repairTail(opened.handle, options);
    await opened.handle.datasync();
    await syncFolder(options.disk, dirname(options.path));
    return { ...opened, length };
  } catch (error) {
    await opened.handle.close();
    throw error;
  }
}

/** The state of an open file: its path still names it, unchanged or changed, or it was renamed or removed. */
async function statusOf(
  file: OpenFile,
  { path, disk }: TailOptions,
): Promise<'unchanged' | 'changed' | 'renamed' | 'removed'> {
  try {
    const { dev, ino, size } = await disk.stat(path, { bigint: true });
    if (isSame(file, { dev, ino })) return Number(size) === file.length ? 'unchanged' : 'changed';
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
  return (await file.handle.stat({ bigint: true })).nlink > 0n ? 'renamed' : 'removed';
}

/** Whether two descriptors are of one file. */
function isSame(left: Pick<OpenFile, 'dev' | 'ino'>, right: Pick<OpenFile, 'dev' | 'ino'>): boolean {
  return left.dev === right.dev && left.ino === right.ino;
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
  /**
   * How long a lasting journal waits before opening it again, in milliseconds. Doubles with each failure, up to a
   * minute. @default 1000
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
  readonly #options: JournalOptions<Item, Stored>;
  readonly #commit: ReturnType<typeof groupCommit<Item, Stored>>;
  #at: TailOptions;
  #lock!: Lock;
  #file!: OpenFile;
  /** Whether refused lines may still be in the file. */
  #broken = false;
  /** Why it is not open; null if it is. */
  #reason: unknown = new Error('The disk does not respond.');
  /** The work on the file, one thing at a time: checking, reopening and closing happen between passes. */
  readonly #alone = inTurn();
  #failures = 0;
  #trying: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;
  readonly #stop = new AbortController();

  constructor(options: JournalOptions<Item, Stored>) {
    const { file, disk = fs, warn, ownerOnly = false, onPass } = options;
    this.#options = options;
    this.#at = { path: file, disk, warn, ownerOnly };
    const ready = () => this.#alone(() => this.#beReady().then(() => this.#followPath()));
    this.#commit = groupCommit((items) => this.#store(items), { ready, onPass });
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
    const opened = openFile(at).then((file) => prepareFile(file, at));
    this.#file = await opened.catch(undo(() => lock.release()));
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
    await this.#cutBack(opened).catch(undo(() => opened.handle.close()));
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
export async function openJournal<Item, Stored extends object>(options: JournalOptions<Item, Stored>) {
  const journal = new Journal(options);
  await journal.open();
  return journal;
}

/**
 * Opens a journal that recovers from a failing disk and a lost lock: it refuses items and keeps trying to open the file.
 *
 * Rejects only for a mistake at the start: with an OperationError that names the owner if there is one, and with a
 * system error if the path cannot be a file.
 */
export async function openLastingJournal<Item, Stored extends object>(options: JournalOptions<Item, Stored>) {
  const journal = new Journal(options);
  await journal.openLasting();
  return journal;
}

import { randomBytes } from 'node:crypto';
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { OperationError, prevented, reasonOf, succeeds } from '../lib/errors.ts';
import { createFile, type Disk, hasCode, ifMissing, writeAll } from './disk.ts';
import { parseLine } from './line-file.ts';

/** Drafts of the file's owner. They may contain lines. */
const ownDraft = /^(?:\.torn)?\.erasing$|^\.redacting$|^\.probe$|^\.secret\.[0-9a-f]{12}$/;

/** The draft of a lock. It exists for a moment, while a process tries to become the owner. */
const lockDraft = /^\.lock\.(?:takeover\.)?[0-9a-f]{32}$/;

/** How old a lock draft must be to count as abandoned, in milliseconds. */
const abandonedMs = 60_000;

/** Removes drafts that killed processes left next to a file; others may do so too. If that fails, it warns and continues. */
async function removeLeftovers({ file, disk, now, warn }: LockOptions): Promise<void> {
  const [folder, name] = [dirname(file), basename(file)];
  try {
    for (const each of await disk.readdir(folder)) {
      const ending = each.startsWith(name) ? each.slice(name.length) : '';
      const path = join(folder, each);
      if (ownDraft.test(ending) || (lockDraft.test(ending) && (await isAbandoned(path, { disk, now })))) {
        await disk.unlink(path).catch(ifMissing(undefined));
      }
    }
  } catch (error) {
    warn(`Temporary files that an earlier process left next to ${file} cannot be removed (${reasonOf(error)}).`);
  }
}

async function isAbandoned(path: string, { disk, now }: Pick<LockOptions, 'disk' | 'now'>): Promise<boolean> {
  const stats = await disk.stat(path).catch(ifMissing(null));
  return stats !== null && now().getTime() - stats.mtimeMs > abandonedMs;
}

/** A lock file: one JSON object, always of the same length for the same owner. */
const shape = z.object({
  /** New for every lock, so that no two are equal. */
  token: z.string().min(1),
  /** The owned file. A copy of the lock next to another file does not own that one. */
  file: z.string().default(''),
  host: z.string(),
  /** Changes whenever the machine starts; empty if unknown. */
  boot: z.string(),
  /** The namespace of pids: containers may share a host name, and each counts from 1. Empty if unknown. */
  namespace: z.string().default(''),
  pid: z.int().min(1),
  /** When the process started, in a unit of the system. */
  started: z.string(),
  since: z.iso.datetime(),
  heartbeat: z.iso.datetime(),
});

export type LockOwner = z.infer<typeof shape>;

/** Parses the text of a lock file; undefined if it is invalid. */
function parseOwner(text: string): LockOwner | undefined {
  return parseLine(text, shape);
}

/** The text of a lock file. */
const ownerText = (owner: LockOwner) => Buffer.from(`${JSON.stringify(owner)}\n`);

/** The error for a second owner: who has the file, and what to do. */
export class FileInUse extends OperationError {
  /** The owner, for messages. */
  readonly who: string;

  constructor(file: string, owner: LockOwner | undefined) {
    const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}, since ${owner.since}`;
    super(`${file} is in use by ${who}. Stop that process first, or give this one another data folder with --data.`);
    this.who = who;
  }
}

/** Identifies a process among all others, even after a restart, on another machine, or with the same pid. */
type ProcessIdentity = Pick<LockOwner, 'host' | 'boot' | 'namespace' | 'pid' | 'started'>;

/** Returns the identity of this process. */
export async function thisProcess(): Promise<ProcessIdentity> {
  return {
    host: hostname(),
    boot: (await readText('/proc/sys/kernel/random/boot_id')).trim(),
    namespace: await fs.readlink('/proc/self/ns/pid').catch(() => ''),
    pid: process.pid,
    // Without /proc: constant within a process and, in microseconds, hardly ever the same as another's.
    started: (await procStat(process.pid))?.started ?? String(performance.timeOrigin),
  };
}

/**
 * Tells whether a process is running, as seen from `self`. 'unknown' if it is on another machine or in another pid
 * namespace, started before the last boot, or if a process has its pid but no known start.
 */
export async function lifeOf(other: ProcessIdentity, self: ProcessIdentity): Promise<'running' | 'gone' | 'unknown'> {
  if (other.host !== self.host || other.boot !== self.boot || other.namespace !== self.namespace) return 'unknown';
  if (other.pid === self.pid) return other.started === self.started ? 'running' : 'gone';
  if (!hasPid(other.pid)) return 'gone';
  const stat = await procStat(other.pid);
  if (stat === undefined) return 'unknown';
  // A zombie has ended and waits for its parent, which in a container may never collect it.
  if (stat.state === 'Z' || stat.state === 'X') return 'gone';
  return stat.started === other.started ? 'running' : 'gone';
}

/** Whether a process has the pid. */
export function hasPid(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    return !hasCode(error, 'ESRCH');
  }
}

/** Fields 3 and 22 of /proc/<pid>/stat: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
async function procStat(pid: number): Promise<{ state: string; started: string } | undefined> {
  const text = await readText(`/proc/${pid}/stat`);
  // The name, field 2, is in parentheses and may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', started = ''] = [fields[0], fields[19]];
  return started === '' ? undefined : { state, started };
}

const readText = (path: string) => fs.readFile(path, 'utf8').catch(() => '');

interface ClaimOptions {
  /** The file to own. */
  file: string;
  disk: Disk;
  /**
   * How long the lock of an owner that cannot be seen must stay unchanged to be taken over, in milliseconds. @default
   * 4000
   */
  patienceMs?: number;
  /** How long to wait for a running owner to release the lock, in milliseconds. @default 0 */
  waitMs?: number | undefined;
  /** Is called before each wait, also for a sign of life, with the error for not waiting. */
  onWait?: ((inUse: FileInUse) => void) | undefined;
}

/**
 * Makes `owner` the owner of the lock at `path`, or rejects with an OperationError that names its current owner.
 *
 * If several processes try at once, exactly one succeeds, even if the lock is stale. Replacing a stale lock requires
 * another lock, `<path>.takeover`, which is claimed in the same way. Otherwise, two processes that both find the lock
 * stale would both replace it, the second one replacing the first one's lock.
 */
async function claim(path: string, owner: LockOwner, options: ClaimOptions): Promise<void> {
  const { waitMs = 0, onWait = () => {} } = options;
  const end = performance.now() + waitMs;
  while (!(await createLock(path, owner, options))) {
    const text = await readLockFile(options, path);
    if (text === undefined) continue;
    const verdict = await judge(path, text, owner, options);
    if (verdict === 'owned') {
      const inUse = new FileInUse(options.file, parseOwner(text));
      if (performance.now() >= end) throw inUse;
      onWait(inUse);
      await sleep(Math.min(100, waitMs));
    }
    if (verdict === 'stale' && (await takeOver(path, text, owner, options))) return;
  }
}

/** Creates the lock at `path`. False if one exists. */
async function createLock(path: string, owner: LockOwner, { disk }: ClaimOptions): Promise<boolean> {
  const draft = `${path}.${owner.token}`;
  await createFile(disk, draft, ownerText(owner));
  try {
    // A file that is created and then written can be seen empty; a linked one cannot.
    await disk.link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    if (!hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL')) throw error;
  } finally {
    await disk.unlink(draft).catch(() => {});
  }
  // The file system has no hard links.
  try {
    await createFile(disk, path, ownerText(owner));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Reads a file as text; undefined if it does not exist. */
function readLockFile({ disk }: ClaimOptions, path: string): Promise<string | undefined> {
  return disk.readFile(path, 'utf8').catch(ifMissing(undefined));
}

/** Decides whether the owner of the lock is running: by its process if it can be seen, otherwise by its heartbeat. */
async function judge(
  path: string,
  text: string,
  self: LockOwner,
  options: ClaimOptions,
): Promise<'owned' | 'stale' | 'changed'> {
  const owner = parseOwner(text);
  // A lock that names another file was copied here, as from a backup, or this file is mounted twice.
  const life = owner === undefined || owner.file !== self.file ? 'unknown' : await lifeOf(owner, self);
  if (life !== 'unknown') return life === 'running' ? 'owned' : 'stale';
  const { patienceMs = 4000, onWait = () => {} } = options;
  onWait(new FileInUse(options.file, owner));
  for (const end = performance.now() + patienceMs; performance.now() < end; ) {
    await sleep(Math.min(100, patienceMs / 10));
    const later = await readLockFile(options, path);
    if (later === text) continue;
    return owner !== undefined && parseOwner(later ?? '')?.token === owner.token ? 'owned' : 'changed';
  }
  return 'stale';
}

/** Replaces a stale lock if it still has this text; otherwise returns false. */
async function takeOver(path: string, text: string, owner: LockOwner, options: ClaimOptions): Promise<boolean> {
  const { disk } = options;
  const guard = `${path}.takeover`;
  await claim(guard, owner, options);
  const draft = `${path}.${owner.token}`;
  try {
    if ((await readLockFile(options, path)) !== text) return false;
    await createFile(disk, draft, ownerText(owner));
    await disk.rename(draft, path);
    return true;
  } finally {
    await disk.unlink(draft).catch(() => {});
    // If it cannot be removed, it becomes stale when this process ends.
    await disk.unlink(guard).catch(() => {});
  }
}

export interface LockOptions extends ClaimOptions {
  now(): Date;
  random(bytes: number): Buffer;
  warn(message: string): void;
  /** How often the owner shows that it is running, in milliseconds: less than a quarter of patienceMs. @default 1000 */
  beatMs?: number;
}

/**
 * Makes this process the owner of a file with `<file>.lock`, or rejects with an OperationError that names the owner.
 *
 * The lock of a process that has ended on this machine is taken over at once. An owner that cannot be seen from here
 * (on another machine, before the last boot) keeps it if its heartbeat changes within patienceMs. Clocks are never
 * compared.
 */
export async function acquireLock(options: LockOptions): Promise<Lock> {
  const { file, now, random } = options;
  const owner = { token: random(16).toString('hex'), file, ...(await thisProcess()), since: now().toISOString() };
  const fresh = performance.now();
  await claim(`${file}.lock`, { ...owner, heartbeat: now().toISOString() }, options);
  await removeLeftovers(options);
  return new Lock(options, owner, fresh);
}

/**
 * The right of one process to write a file, for as long as the process keeps it fresh.
 *
 * The owner checks its lock at every beat. If the lock was removed, it creates a new one. If another process has it,
 * the lock is lost permanently.
 */
export class Lock {
  /** Resolves with the reason once another process has the lock. */
  readonly lost: Promise<Error>;
  readonly #options: LockOptions;
  readonly #path: string;
  readonly #owner: Omit<LockOwner, 'heartbeat'>;
  readonly #timer: NodeJS.Timeout;
  #resolveLost: (error: Error) => void = () => {};
  #reason: Error | null = null;
  #beating: Promise<void> | null = null;
  /** When the last successful beat began. */
  #fresh: number;

  constructor(options: LockOptions, owner: Omit<LockOwner, 'heartbeat'>, fresh: number) {
    this.#options = options;
    this.#path = `${options.file}.lock`;
    this.#owner = owner;
    this.#fresh = fresh;
    this.lost = new Promise((resolve) => {
      this.#resolveLost = resolve;
    });
    this.#timer = setInterval(() => void this.#beat().catch(() => {}), options.beatMs ?? defaultBeatMs);
    this.#timer.unref();
  }

  /** Resolves while the lock is held and fresh. Rejects if another process has it, or if it cannot be kept fresh. */
  async confirm(): Promise<void> {
    // A process that was suspended may have lost the lock, so it checks. No other process takes over a lock this early.
    const isFresh = performance.now() - this.#fresh <= 2 * (this.#options.beatMs ?? defaultBeatMs);
    if (this.#reason === null && !isFresh) await this.#beat();
    if (this.#reason !== null) throw this.#reason;
  }

  /**
   * Does at once what the timer does, for work that keeps the process from its timers. Throws if another process has the
   * lock.
   */
  beatNow(): void {
    if (performance.now() - this.#fresh < (this.#options.beatMs ?? defaultBeatMs)) return;
    this.#fresh = performance.now();
    const holder = parseOwner(readFileSync(this.#path, 'utf8'));
    if (holder?.token !== this.#owner.token) this.#lose(holder);
    if (this.#reason !== null) throw this.#reason;
    writeFileSync(this.#path, ownerText(this.#current()), { flag: 'r+' });
  }

  /** Gives up the lock. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating?.catch(() => {});
    // If the lock cannot be read, as when its folder became a file, it cannot be removed either.
    const text = await readLockFile(this.#options, this.#path).catch(() => undefined);
    if (parseOwner(text ?? '')?.token === this.#owner.token)
      await this.#options.disk.unlink(this.#path).catch(() => {});
  }

  #beat(): Promise<void> {
    this.#beating ??= this.#beatOnce().finally(() => {
      this.#beating = null;
    });
    return this.#beating;
  }

  async #beatOnce(): Promise<void> {
    const begun = performance.now();
    const handle = await this.#options.disk.open(this.#path, 'r+').catch(ifMissing(null));
    if (handle === null) await this.#createAgain();
    else {
      try {
        const holder = parseOwner(await handle.readFile('utf8'));
        // The lock is overwritten with the same length, which needs no disk space, and no reader sees half of it. It is
        // written through the descriptor that was read, so that another lock at the path stays untouched.
        if (holder?.token === this.#owner.token) await writeAll(handle, ownerText(this.#current()), 0);
        else this.#lose(holder);
      } finally {
        // A network file system sends writes when the file is closed.
        await handle.close();
      }
    }
    this.#fresh = begun;
  }

  #current(): LockOwner {
    return { ...this.#owner, heartbeat: this.#options.now().toISOString() };
  }

  async #createAgain(): Promise<void> {
    const { file, warn } = this.#options;
    if (await createLock(this.#path, this.#current(), this.#options)) {
      warn(`${this.#path} was removed by another program while this process owns ${file}. It was created again.`);
    } else this.#lose(parseOwner((await readLockFile(this.#options, this.#path)) ?? ''));
  }

  #lose(to: LockOwner | undefined): void {
    const { file, warn } = this.#options;
    this.#reason = new FileInUse(file, to);
    clearInterval(this.#timer);
    warn(`Another process has taken over ${file}, so this one no longer writes to it. ${this.#reason.message}`);
    this.#resolveLost(this.#reason);
  }
}

const defaultBeatMs = 1000;

/** Runs `work` as the owner of a file (see acquireLock), and releases it afterward. */
export async function withLock<Result>(options: LockOptions, work: () => Promise<Result>): Promise<Result> {
  const lock = await acquireLock(options);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

interface AloneOptions extends Pick<LockOptions, 'file' | 'patienceMs' | 'waitMs'> {
  /** The activity of another owner, such as `Another catalog publish is running in this repository`. */
  other: string;
  /** Is called with a message for a person before waiting for the other process. */
  say?: ((message: string) => void) | undefined;
}

/**
 * Runs `work` as the owner of `<file>.lock`. `work` calls `beat` often if it keeps the process from its timers. `before` is when
 * the owner began whose lock was there, or null if none was: with no `waitMs`, that owner was killed. Throws OperationError that
 * names the owner if it does not end in time.
 *
 * A process that may not write next to `file` does its work without the lock: it may not change what the lock is for.
 */
export async function alone<Result>(
  { other, say = () => {}, ...options }: AloneOptions,
  work: (beat: () => void, before: Date | null) => Result | Promise<Result>,
): Promise<Result> {
  const left = await fs.readFile(`${options.file}.lock`, 'utf8').catch(() => null);
  const before = left === null ? null : new Date(parseOwner(left)?.since ?? 0);
  if (!succeeds(() => accessSync(dirname(options.file), constants.W_OK))) return work(() => {}, before);
  let isWaiting = false;
  const onWait = ({ who }: FileInUse) => {
    if (!isWaiting) say(`${other} (${who}). Waiting until it has finished.\n`);
    isWaiting = true;
  };
  const ownOptions = { disk: fs, now: () => new Date(), random: randomBytes, warn: () => {}, onWait };
  const lock = await acquireLock({ ...ownOptions, ...options }).catch((error) => {
    if (!(error instanceof FileInUse)) throw prevented(`Cannot write ${options.file}.lock`, error);
    const advice = 'Wait until it has finished, then run the command again.';
    throw new OperationError(`${other} (${error.who}). ${advice}`, { cause: error });
  });
  try {
    return await work(() => lock.beatNow(), before);
  } finally {
    await lock.release();
  }
}

import { randomBytes } from 'node:crypto';
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { OperationError } from '../errors.ts';
import { hasCode, writeAll } from './disk.ts';
import { removeLeftovers } from './leftovers.ts';
import { type ClaimOptions, claim, createLock, readText } from './lock-claim.ts';
import { FileInUse, type LockOwner, ownerText, parseOwner } from './lock-owner.ts';
import { thisProcess } from './process-identity.ts';

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
    const found = parseOwner(readFileSync(this.#path, 'utf8'));
    if (found?.token !== this.#owner.token) this.#lose(found);
    if (this.#reason !== null) throw this.#reason;
    writeFileSync(this.#path, ownerText(this.#current()), { flag: 'r+' });
  }

  /** Gives up the lock. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating?.catch(() => {});
    // If the lock cannot be read, as when its folder became a file, it cannot be removed either.
    const text = await readText(this.#options, this.#path).catch(() => undefined);
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
    const handle = await this.#options.disk.open(this.#path, 'r+').catch((error) => {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    });
    if (handle === null) await this.#createAgain();
    else {
      try {
        const found = parseOwner(await handle.readFile('utf8'));
        // The lock is overwritten with the same length, which needs no disk space, and no reader sees half of it. It is
        // written through the descriptor that was read, so that another lock at the path stays untouched.
        if (found?.token === this.#owner.token) await writeAll(handle, ownerText(this.#current()), 0);
        else this.#lose(found);
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
    } else this.#lose(parseOwner((await readText(this.#options, this.#path)) ?? ''));
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

export interface AloneOptions extends Pick<LockOptions, 'file' | 'patienceMs' | 'waitMs'> {
  /** What another owner does, such as `Another catalog publish is running in this repository`. */
  other: string;
  /** Is called with a message for a person before waiting for the other process. */
  say?: ((message: string) => void) | undefined;
}

/**
 * Runs `work` as the owner of `<file>.lock`. `work` calls `beat` often if it keeps the process from its timers. Throws
 * OperationError that names the owner if it does not end in time.
 *
 * A process that may not write next to `file` does its work without the lock: it may not change what the lock is for.
 */
export async function alone<Result>(
  { other, say = () => {}, ...options }: AloneOptions,
  work: (beat: () => void) => Result | Promise<Result>,
): Promise<Result> {
  if (!isWritable(dirname(options.file))) return work(() => {});
  const onWait = ({ who }: FileInUse) => say(`${other} (${who}). Waiting until it has finished.\n`);
  const ownOptions = { disk: fs, now: () => new Date(), random: randomBytes, warn: () => {}, onWait };
  const lock = await acquireLock({ ...ownOptions, ...options }).catch((error) => {
    throw new OperationError(
      error instanceof FileInUse
        ? `${other} (${error.who}). Wait until it has finished, then run the command again.`
        : `Cannot write ${options.file}.lock (${error.message}).`,
      { cause: error },
    );
  });
  try {
    return await work(() => lock.beatNow());
  } finally {
    await lock.release();
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

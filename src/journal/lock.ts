import { hasCode, writeAll } from './disk.ts';
import { removeLeftovers } from './leftovers.ts';
import { type ClaimOptions, claim, place, readText } from './lock-claim.ts';
import { inUse, type LockOwner, ownerText, parseOwner } from './lock-owner.ts';
import { thisProcess } from './process-identity.ts';

/** The right of one process to write a file, for as long as the process keeps it fresh. */
export interface Lock {
  /** Resolves while the lock is held and fresh; rejects once another process has it, or it cannot be kept fresh. */
  confirm(): Promise<void>;
  /** Resolves with the reason once another process has it. */
  readonly lost: Promise<Error>;
  /** Lets go of it. */
  release(): Promise<void>;
}

export interface LockOptions extends ClaimOptions {
  now(): Date;
  random(bytes: number): Buffer;
  warn(message: string): void;
  /** How often the owner shows that it is alive, in milliseconds: less than a quarter of patienceMs. @default 1000 */
  beatMs?: number;
}

/**
 * Makes this process the owner of a file by `<file>.lock`, or rejects with an OperationError that names the owner.
 *
 * The lock of a process that has ended on this machine is taken over at once. An owner that cannot be seen from here
 * (another machine, an earlier boot) keeps it if its heartbeat changes within patienceMs; clocks are never compared.
 * The owner looks at its lock at every beat: one that was removed is made again, one that somebody else has is lost for
 * good.
 */
export async function acquireLock(options: LockOptions): Promise<Lock> {
  const { file, disk, now, random, warn, beatMs = 1000 } = options;
  const path = `${file}.lock`;
  const owner = { token: random(16).toString('hex'), file, ...(await thisProcess()), since: now().toISOString() };
  let fresh = performance.now();
  await claim(path, current(), options);
  await removeLeftovers(options);
  let lost: Error | null = null;
  let tell: (error: Error) => void = () => {};
  const whenLost = new Promise<Error>((resolve) => {
    tell = resolve;
  });
  let beating: Promise<void> | null = null;
  const timer = setInterval(() => void beat().catch(() => {}), beatMs);
  timer.unref();

  function current(): LockOwner {
    return { ...owner, heartbeat: now().toISOString() };
  }

  function beat(): Promise<void> {
    beating ??= beatOnce().finally(() => {
      beating = null;
    });
    return beating;
  }

  async function beatOnce(): Promise<void> {
    const begun = performance.now();
    const handle = await disk.open(path, 'r+').catch((error) => {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    });
    if (handle === null) await remake();
    else {
      try {
        const found = parseOwner(await handle.readFile('utf8'));
        // In place and of the same length, so that it needs no space and no reader meets half of it; by the descriptor
        // that was read, so that a lock which came to the path since stays as it is.
        if (found?.token === owner.token) await writeAll(handle, ownerText(current()), 0);
        else lose(found);
      } finally {
        // A network file system sends what was written when the file is closed.
        await handle.close();
      }
    }
    fresh = begun;
  }

  async function remake(): Promise<void> {
    if (await place(path, current(), options)) {
      warn(`${path} was removed from outside while this process owns ${file}; it was made again.`);
    } else lose(parseOwner((await readText(options, path)) ?? ''));
  }

  function lose(to: LockOwner | undefined): void {
    lost = inUse(file, to);
    clearInterval(timer);
    warn(`This process has lost ${file} to another one, and does not write to it any longer. ${lost.message}`);
    tell(lost);
  }

  return {
    async confirm() {
      // A process that was stopped for a while may have lost the lock in its sleep, and looks before it goes on. Nobody
      // takes over sooner than this.
      if (lost === null && performance.now() - fresh > 2 * beatMs) await beat();
      if (lost !== null) throw lost;
    },
    lost: whenLost,
    async release() {
      clearInterval(timer);
      await beating?.catch(() => {});
      // A lock that cannot be read, as where its folder became a file, cannot be removed either.
      const found = await readText(options, path).catch(() => undefined);
      const held = parseOwner(found ?? '')?.token === owner.token;
      if (held) await disk.unlink(path).catch(() => {});
    },
  };
}

/** Runs `work` as the owner of a file (see acquireLock), which it is no more afterwards. */
export async function withLock<Result>(options: LockOptions, work: () => Promise<Result>): Promise<Result> {
  const lock = await acquireLock(options);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

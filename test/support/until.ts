import { readFileSync } from 'node:fs';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import * as assert from 'uvu/assert';

/** How long a test waits for something, in milliseconds: enough for a slow and busy machine. Only a test that fails waits so long. */
export const patienceMs = 60_000;

/** The real clock, also while a test moves the one of the program. */
const now = performance.now.bind(performance);

/**
 * Resolves once `holds` returns true. Throws if it does not. The longer it waits, the less often it looks, since a look may be
 * a request.
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const begun = now();
  while (!(await holds())) {
    const waited = now() - begun;
    if (waited > patienceMs) throw new Error(`This never became so: ${holds}`);
    await sleep(Math.min(Math.max(5, waited / 10), 50));
  }
}

/** Whether a promise settles without waiting for a timer: within a few turns of the event loop. */
export async function isSoonSettled(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let turns = 0; turns < 5; turns += 1) await turn();
  return isSettled;
}

/** Runs `use` while the program's clock for durations stands still, except that `later` moves it, by milliseconds. */
export async function withStillClock<Result>(use: (later: (ms: number) => void) => Promise<Result>): Promise<Result> {
  // Sums of whole numbers are exact.
  let passed = Math.round(performance.now());
  performance.now = () => passed;
  try {
    return await use((ms) => {
      passed += ms;
    });
  } finally {
    Reflect.deleteProperty(performance, 'now');
  }
}

/**
 * Runs `use` with a time limit, in milliseconds, that ends when `expire` is called and not before, however
 * slow the machine is: the last timer of that length is never started.
 */
export async function withTimeLimit<Result>(
  use: (timeoutMs: number, expire: () => void) => Promise<Result>,
  timeoutMs = 987_654,
): Promise<Result> {
  const real = globalThis.setTimeout;
  let end: (() => void) | undefined;
  globalThis.setTimeout = ((work: (...values: unknown[]) => void, ms: number, ...rest: unknown[]) => {
    if (ms !== timeoutMs) return Reflect.apply(real, globalThis, [work, ms, ...rest]);
    end = () => work(...rest);
    return undefined;
  }) as typeof setTimeout;
  try {
    const result = await use(timeoutMs, () => end?.());
    assert.ok(end, `nothing was limited to ${timeoutMs} ms`);
    return result;
  } finally {
    globalThis.setTimeout = real;
  }
}

/** Settles like `promise`, or rejects if that takes too long. */
export async function soon<Result>(promise: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('This never came to an end.')), patienceMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Whether a process runs, on Linux. One that has ended and that nobody waited for does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) [XZ] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Waits until the processes whose ids are the lines of a file have ended. Ends and returns those that do not. */
export async function leftOf(pids: string): Promise<number[]> {
  const running = () => readFileSync(pids, 'utf8').trim().split('\n').map(Number).filter(isRunning);
  await until(() => running().length === 0).catch(() => {});
  const left = running();
  for (const pid of left) process.kill(pid, 'SIGKILL');
  return left;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Order, Outcome } from './worker.ts';

/** How a run with a mutant ended. `crash` means that the process ended, and `timeout` that it had to be stopped. */
export type Verdict = Outcome | 'crash' | 'timeout';

/** The workers that have not ended. */
const running = new Set<Worker>();

/** Ends all workers and the processes that their tests have started, without waiting: for an early exit. */
export function killWorkers(): void {
  for (const worker of running) worker.kill();
}

/** A process that runs one bundled test file of the sandbox. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #ended: Promise<'crash'>;

  constructor({ path }: { path: string }, file: string, name: string, mutant?: string) {
    const args = [join(path, 'bundles/worker.mjs'), file];
    this.#child = spawn(process.execPath, args, {
      cwd: path,
      detached: true,
      env: {
        ...process.env,
        // The sandbox is a repository, and the catalogs of tests are not.
        TMPDIR: join(path, '../tmp'),
        CATALOG_CACHE: join(path, `cache-${name}`),
        MUTATION_COVERAGE: join(path, `coverage-${name}`),
        ...(mutant === undefined ? {} : { __STRYKER_ACTIVE_MUTANT__: mutant }),
      },
      stdio: ['ignore', 'ignore', mutant === undefined ? 'inherit' : 'ignore', 'ipc'],
    });
    this.#child.on('error', () => {});
    running.add(this);
    this.#ended = once(this.#child, 'exit').then(() => {
      running.delete(this);
      return 'crash';
    });
  }

  /** Waits until the test file is imported. */
  async ready(patience: number): Promise<boolean> {
    return (await this.#next(patience)) === 'ready';
  }

  async run(order: Order, patience: number): Promise<Verdict> {
    this.#child.send(order, () => {});
    const verdict = (await this.#next(patience)) as Verdict;
    if (typeof verdict === 'string') await this.stop();
    return verdict;
  }

  async #next(patience: number): Promise<unknown> {
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), patience);
    const message = once(this.#child, 'message', { signal: waiting.signal }).then(
      ([value]) => value,
      () => 'timeout',
    );
    try {
      return await Promise.race([message, this.#ended]);
    } finally {
      clearTimeout(timer);
      waiting.abort();
    }
  }

  /** Ends the process and those that its tests have started, without waiting. */
  kill(): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // The process and its children have ended.
    }
  }

  /** As `kill`, but waits for the end. */
  async stop(): Promise<void> {
    this.kill();
    await this.#ended;
  }
}

import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { isatty } from 'node:tty';
import { succeeds } from './errors.ts';

/** The processes that this program started and that have not ended, each with its temporary folder. */
const running = new Map<ChildProcess, string | null>();
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Starts a process that does not outlive this program, and neither do those that it starts: when this program gets a signal
 * to end, all of them get SIGTERM.
 *
 * They are a process group. At a terminal they stay in the group of this program, so that Ctrl-C reaches them and ssh can
 * ask for a passphrase, unless `ownGroup` is set.
 *
 * A signal ends this program without its `finally` blocks, so `temporary`, a folder with what only the process needs, is
 * removed then too.
 */
export function startChild(
  command: string,
  args: readonly string[],
  {
    ownGroup = !isatty(0),
    temporary = null,
    ...options
  }: SpawnOptions & { ownGroup?: boolean; temporary?: string | null },
): ChildProcess {
  const child = spawn(command, args, { ...options, detached: ownGroup && process.platform !== 'win32' });
  if (running.size === 0) {
    // First, so that the listeners of the command can still be counted: listeners of `once` are removed when they are called.
    for (const signal of signals) process.prependListener(signal, endAll);
    process.on('exit', stopAll);
  }
  running.set(child, temporary);
  const ended = () => {
    running.delete(child);
    if (running.size > 0) return;
    for (const signal of signals) process.off(signal, endAll);
    process.off('exit', stopAll);
  };
  return child.on('close', ended).on('error', ended);
}

/** Sends a signal to a process of `startChild` and to those that it started. */
export function stopChild(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/t', '/f']);
  // Without a group of its own, there is no process group with this id.
  else if (!succeeds(() => process.kill(-pid, signal))) child.kill(signal);
}

function stopAll(): void {
  for (const [child, temporary] of running) {
    stopChild(child, 'SIGTERM');
    if (temporary !== null) rmSync(temporary, { recursive: true, force: true });
  }
}

/** Ends this program too, unless the command has a listener of its own for the signal. */
function endAll(signal: NodeJS.Signals): void {
  // A server that reopens its logs goes on, and so does its build.
  if (signal !== 'SIGHUP' || process.listenerCount(signal) === 1) stopAll();
  if (process.listenerCount(signal) > 1) return;
  process.off(signal, endAll);
  process.kill(process.pid, signal);
}

interface RunOptions extends SpawnOptions {
  ownGroup?: boolean;
  /** Written to its stdin. */
  input?: string;
  /** After this time, the process and those that it started are stopped with `killSignal`. @default without a limit */
  timeoutMs?: number;
  /** @default SIGKILL */
  killSignal?: NodeJS.Signals;
  /** The most output that is read, in bytes; with more, it is stopped too. */
  maxBytes: number;
  started?: (child: ChildProcess) => void;
}

/** How a process ended. */
export interface Ended {
  /** Null if it did not start, or was stopped. */
  code: number | null;
  stdout: Buffer;
  stderr: Buffer;
  /** Why it did not start, or was stopped. */
  failure: 'timeout' | 'output' | NodeJS.ErrnoException | null;
}

/** Starts a process as `startChild` does, and resolves once it has ended. */
export function runChild(
  command: string,
  args: readonly string[],
  { input = '', timeoutMs, killSignal = 'SIGKILL', maxBytes, started, ...options }: RunOptions,
): Promise<Ended> {
  return new Promise((resolve) => {
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    let failure: Ended['failure'] = null;
    const end = (code: number | null) => {
      clearTimeout(timer);
      resolve({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr), failure });
    };
    let timer: NodeJS.Timeout | undefined;
    let child: ChildProcess;
    try {
      child = startChild(command, args, { ...options, stdio: 'pipe' });
    } catch (error) {
      failure = error as Error;
      end(null);
      return;
    }
    const stop = (why: 'timeout' | 'output') => {
      if (failure === null) stopChild(child, killSignal);
      failure ??= why;
    };
    if (timeoutMs !== undefined) timer = setTimeout(stop, timeoutMs, 'timeout');
    for (const [stream, chunks] of [
      [child.stdout, stdout],
      [child.stderr, stderr],
    ] as const) {
      let size = 0;
      stream?.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= maxBytes) chunks.push(chunk);
        else stop('output');
      });
    }
    child.on('exit', () => {
      if (failure === null) return;
      stopChild(child, 'SIGKILL');
      // A process that left the group could keep the pipes open.
      child.stdout?.destroy();
      child.stderr?.destroy();
    });
    child.on('error', (error) => {
      failure ??= error;
      end(null);
    });
    child.on('close', (code) => end(failure === null ? code : null));
    // A process that ends early does not read all of its input.
    child.stdin?.on('error', () => {}).end(input);
    started?.(child);
  });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { slipIn } from './messages.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));
/** The compiled command line. */
export const bin = fileURLToPath(new URL('../../bin/catalog.js', import.meta.url));

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** Both, in the order in which they were written, as a terminal shows them. */
  shown: string;
}

interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Arguments for node itself. */
  node?: string[];
  input?: string;
}

/**
 * The environment of a child process: none of the settings of the person who runs the tests, but the cache of this run
 * and the active mutant of `npm run mutate`.
 */
export function inherited(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, SystemRoot, CATALOG_CACHE, __STRYKER_ACTIVE_MUTANT__, MUTATION_COVERAGE } = process.env;
  const mutation =
    __STRYKER_ACTIVE_MUTANT__ || MUTATION_COVERAGE ? { __STRYKER_ACTIVE_MUTANT__, MUTATION_COVERAGE } : {};
  return { PATH, HOME, TMPDIR, SystemRoot, CATALOG_CACHE, NODE_ENV: 'test', ...mutation, ...extra };
}

/** Runs the compiled `catalog` in another process and waits until it ends. */
export async function catalogProcess(
  args: string[],
  { cwd = root, env, node = [], input = '' }: RunOptions = {},
): Promise<Finished> {
  return run(process.execPath, [...node, bin, ...args], { cwd, ...(env === undefined ? {} : { env }), input });
}

let before: Promise<unknown> = Promise.resolve();

/**
 * Runs the command line `catalog` in this process, a tenth of a second instead of half a one, with the working folder
 * and the environment that a process of its own would have. Calls wait for each other.
 *
 * A `serve` that serves gets a process, see startServer; so does whatever is about the process itself, its input or its time
 * zone: see catalogProcess.
 */
export function catalog(
  args: string[],
  { cwd = root, env }: Omit<RunOptions, 'node' | 'input'> = {},
): Promise<Finished> {
  const call = before.then(() => runHere(args, cwd, env));
  before = call.catch(() => {});
  return call;
}

async function runHere(args: string[], cwd: string, env: NodeJS.ProcessEnv | undefined): Promise<Finished> {
  const { main } = await import('../../src/main.ts');
  const own = { folder: process.cwd(), environment: process.env };
  const all: Buffer[] = [];
  const [out, error] = [collector(all), collector(all)];
  // A `serve` that cannot start leaves its handlers to the end of its process.
  const before = handled.map((event) => [event, process.rawListeners(event)] as const);
  process.chdir(cwd);
  process.env = inherited(env);
  try {
    const code = await main([process.execPath, bin, ...args], out.stream, error.stream);
    const shown = withoutProgress(Buffer.concat(all).toString('utf8'));
    const stderr = withoutProgress(error.text());
    assert.is(slipIn(stderr), null);
    return { code, signal: null, stdout: out.text(), stderr, shown };
  } finally {
    process.env = own.environment;
    process.chdir(own.folder);
    for (const [event, listeners] of before) {
      const added = process.rawListeners(event).filter((listener) => !listeners.includes(listener));
      for (const listener of added) process.off(event, listener as () => void);
    }
  }
}

const handled = ['SIGTERM', 'SIGINT', 'SIGHUP', 'uncaughtException'];

/** A stream that keeps what is written to it, and adds it to `all`. */
function collector(all: Buffer[]): { stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      all.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

/** Runs a program and waits for its end. */
export async function run(
  command: string,
  args: string[],
  { cwd = root, env, input = '' }: RunOptions = {},
): Promise<Finished> {
  const child = spawn(command, args, { cwd, env: inherited(env) });
  let stdout = '';
  let stderr = '';
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
    shown += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
    shown += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout, stderr: withoutProgress(stderr), shown: withoutProgress(shown) };
}

/** Leaves out the progress that a command reports if it takes more than a second, as on a busy machine. */
function withoutProgress(text: string): string {
  return text.replace(/^[A-Z][^\n:]*: \d+ of \d+(?:, \d+ (?:s|min) left)?\n/gm, '');
}

export interface RunningServer {
  /** The address of the server, with a slash at its end. The host is the one that it printed. */
  address: string;
  process: ChildProcess;
  /** Everything that it has written to stdout so far. */
  stdout(): string;
  stderr(): string;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
}

/**
 * Starts `catalog serve` with a free port, and a data folder of its own unless one is named, and waits until it serves.
 * Rejects with what it wrote when it ends instead.
 */
export async function startServer(
  args: string[],
  { cwd = root, env, node = [] }: RunOptions = {},
): Promise<RunningServer> {
  const data = mkdtempSync(join(tmpdir(), 'catalog-data-'));
  const child = spawn(process.execPath, [...node, bin, 'serve', '--port', '0', ...args], {
    cwd,
    env: inherited({ CATALOG_DATA: data, ...env }),
  });
  let stdout = '';
  let stderr = '';
  let shown = '';
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  ended.then(() => rmSync(data, { recursive: true, force: true }));
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
    shown += text;
  });
  const address = await new Promise<string>((found, failed) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
      shown += text;
      const match = /Serving the catalog at (\S+)/.exec(stderr);
      if (match?.[1] !== undefined) found(match[1]);
    });
    ended.then(([code]) => failed(new Error(`serve ended with ${code}: ${stderr}${stdout}`)));
  });
  return {
    address,
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const [code, endedBy] = await ended;
      return { code, signal: endedBy, stdout, stderr, shown };
    },
  };
}

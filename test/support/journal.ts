import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once as onlyOnce } from '../../src/lib/lazy.ts';
import type { Disk } from '../../src/storage/disk.ts';
import { type Journal, type JournalOptions, openJournal } from '../../src/storage/journal.ts';
import { readLines } from '../../src/storage/line-file.ts';
import { bundleModule } from '../../tools/bundle-module.ts';

/** Runs `task` with the path of a log in a new folder, which is removed afterwards. */
export async function withFolder(task: (file: string, folder: string) => Promise<void>): Promise<void> {
  const folder = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'journal-')));
  try {
    await task(join(folder, 'log.jsonl'), folder);
  } finally {
    await fs.rm(folder, { recursive: true });
  }
}

export interface Item {
  client: number;
  note?: string;
}

/** An item as the journals of tests store it. */
export interface Stored extends Item {
  id: string;
}

type TestOptions = Partial<JournalOptions<Item, Stored>> & { file: string };

export interface Opened {
  journal: Journal<Item, Stored>;
  warnings: string[];
}

/** Runs `task` with an open journal, which is closed afterwards. */
export async function withJournal(options: TestOptions, task: (opened: Opened) => Promise<void>): Promise<void> {
  const warnings: string[] = [];
  const journal = await openTestJournal({ ...options, warn: (message) => void warnings.push(message) });
  try {
    await task({ journal, warnings });
  } finally {
    await journal.close();
  }
}

/** A journal of items, each of which gets an id. */
export async function openTestJournal(options: TestOptions): Promise<Journal<Item, Stored>> {
  const prepare = (items: readonly Item[]) => items.map((item) => ({ id: randomUUID(), ...item }));
  return openJournal({ prepare, now: () => new Date(), random: randomBytes, warn: () => {}, ...options });
}

/** What is stored in a log, all of which has to be JSON. */
export async function linesIn(file: string): Promise<Stored[]> {
  const lines: Stored[] = [];
  for await (const line of readLines(file)) lines.push(JSON.parse(line.toString('utf8')));
  return lines;
}

/** One use of the disk: of a handle's method, or of a function of the disk itself. */
export interface Call {
  op: string;
  path: string;
  args: unknown[];
  /** Does what was asked. */
  run(): Promise<unknown>;
}

/** The real disk, behind a function that sees each call and may slow it, refuse it or do less. */
export function shimDisk(around: (call: Call) => Promise<unknown>): Disk {
  const wrap = <Target extends object>(target: Target, path: string | undefined): Target =>
    new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name);
        if (typeof value !== 'function' || typeof name !== 'string') return value;
        return async (...args: unknown[]) => {
          const at = path ?? String(args[0]);
          const result = await around({
            op: name,
            path: at,
            args,
            run: async () => Reflect.apply(value as () => unknown, object, args),
          });
          return path === undefined && name === 'open' ? wrap(result as object, at) : result;
        };
      },
    });
  return wrap({ ...fs } as Disk, undefined);
}

export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: made by a test`), { code });
}

/** What a promise is rejected with; undefined where it is fulfilled. */
export async function rejection(promise: Promise<unknown>): Promise<Error | undefined> {
  return promise.then(
    () => undefined,
    (error) => error as Error,
  );
}

const script = onlyOnce(() => bundleModule(new URL('./journal-child.ts', import.meta.url)));

/** Starts journal-child.ts, which is then ready for orders. */
export async function startChild(): Promise<ChildProcess> {
  const child = fork(script(), [], { execArgv: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [outcome] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (outcome !== 'ready') throw new Error(`The child ended with ${outcome}.`);
  return child;
}

/** Ends a child that startChild made, and waits for it. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  child.stdout?.resume();
  await closed;
}

/**
 * Runs every `*.test.ts` below test/, or those whose path matches the pattern given, and ends with the line
 * `N passed, N failed`.
 *
 * Without a pattern three processes share the files: two cores' work, since each waits now and then. Within a process they
 * run one after the other. uvu's own command loads tests as CommonJS and loses what a hook throws; this runner uses
 * uvu's queue directly. An early stop counts as one failure, and the exit code is set explicitly, since a test's own
 * hooks may change it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'uvu/parse';

type Outcome = [errors: string | true, passed: number, skipped: number, total: number];
type Suite = { name: string; file: string };
type Runner = (index: number) => Promise<Outcome>;
const state = globalThis as unknown as { UVU_DEFER: number; UVU_QUEUE: [string, ...Runner[]][]; UVU_INDEX: number };
state.UVU_DEFER = 1;
state.UVU_QUEUE = [];

/** A file of a full run that takes longer, in milliseconds, hangs: better a named failure than a run without end. */
const patience = 180_000;

let passed = 0;
let failed = 0;
let finished = false;

const [pattern] = process.argv.slice(2);
const isWorker = pattern === '--worker';
// One folder for what the run leaves behind: the cache of share pictures, most of which are the same in all builds, and
// all temporary folders. Children get it by the environment; a worker takes it over once tsx has found its own cache.
const folder = isWorker ? undefined : mkdtempSync(join(roomyFolder(), 'catalog-tests-'));
if (folder !== undefined) {
  process.env.CATALOG_CACHE = join(folder, 'cache');
  process.env.TEST_FOLDER = folder;
}
const ownTemporary = process.env.TMPDIR ?? '';
process.env.TMPDIR = process.env.TEST_FOLDER;

process.on('exit', () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  if (!finished) failed += 1;
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
});

/** Where thousands of small files are quickly made: in memory, if there is room and programs may be run from there. */
function roomyFolder(): string {
  const memory = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < 2 ** 31) return tmpdir();
    const probe = mkdtempSync(join(memory, 'catalog-probe-'));
    try {
      writeFileSync(join(probe, 'run'), '#!/bin/sh\n', { mode: 0o755 });
      execFileSync(join(probe, 'run'));
      return memory;
    } finally {
      rmSync(probe, { recursive: true });
    }
  } catch {
    return tmpdir();
  }
}

if (isWorker) await runAsTold();
else {
  const { suites } = await parse('test', pattern ?? /\.test\.ts$/);
  const files = suites.filter(({ name }) => name.endsWith('.test.ts'));
  if (pattern === undefined) await runInWorkers(files);
  else for (const { name, file } of files) await runFile(name, file);
}
finished = true;
process.exit(failed > 0 ? 1 : 0);

/**
 * Three processes, each of which asks for the next file when it has done one: the longest texts first. What a process
 * printed is shown when it ends; one that ends too early counts as a failure, and another goes on with the rest.
 */
async function runInWorkers(files: readonly Suite[]): Promise<void> {
  const size = ({ file }: Suite) => statSync(file).size;
  const waiting = [...files].sort((a, b) => size(b) - size(a));
  await Promise.all(
    [1, 2, 3].map(async () => {
      while (waiting.length > 0) await runWorker(waiting);
    }),
  );
}

async function runWorker(waiting: Suite[]): Promise<void> {
  const args = ['--import', 'tsx', fileURLToPath(import.meta.url), '--worker'];
  const env = { ...process.env, TMPDIR: ownTemporary };
  const worker = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  worker.on('message', (ready) => {
    if (ready === 'next') worker.send(waiting.shift() ?? 'end');
  });
  let output = '';
  for await (const chunk of worker.stdout ?? []) output += chunk;
  if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
  const [, good = '0', bad = '0'] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  process.stdout.write(output.replace(/\d+ passed, \d+ failed\s*$/, ''));
  passed += Number(good);
  failed += Math.max(Number(bad), worker.exitCode === 0 ? 0 : 1);
}

/** Runs the files that the parent names, one after the other, until it names no more. */
async function runAsTold(): Promise<void> {
  for (;;) {
    process.send?.('next');
    const [told] = (await once(process, 'message')) as [Suite | 'end'];
    if (told === 'end') return;
    await runFile(told.name, told.file);
  }
}

async function runFile(name: string, file: string): Promise<void> {
  const queue: [string, ...Runner[]] = [name];
  state.UVU_INDEX = state.UVU_QUEUE.push(queue) - 1;
  const begun = performance.now();
  const watchdog = !isWorker
    ? undefined
    : setTimeout(() => {
        console.error(`${name} did not end within ${patience / 1000} s`);
        process.exit(1);
      }, patience);
  await import(pathToFileURL(file).href);
  const runners = queue.slice(1) as Runner[];
  if (runners.length === 0) throw new Error(`${name} never calls test.run()`);
  process.stdout.write(`${name}\n`);
  for (const [index, runner] of runners.entries()) {
    const [errors, ok, , total] = await runner(index);
    passed += ok;
    failed += total - ok;
    if (errors !== true) process.stdout.write(errors);
  }
  clearTimeout(watchdog);
  process.stdout.write(`  ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
}

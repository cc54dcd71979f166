/**
 * Runs every `*.test.ts` below test/, or those whose path matches the given pattern, or with --unit all except those in
 * slow.ts. The last line is `N passed, N failed`.
 *
 * Without a pattern, three processes share the files. That is enough work for two cores, since each process sometimes
 * waits. Within a process, files run one after the other. What a file prints appears when it ends, followed by a line with
 * its results, its duration and the processor time that it and its child processes needed. uvu's own command loads tests
 * as CommonJS and loses errors of hooks, so this runner uses uvu's queue directly. An early exit counts as one failure,
 * and the exit code is set explicitly, since hooks of tests may change it.
 *
 * An uncaught error, as from a socket, is a failure of the running file, and the tests continue. Child processes that a
 * file leaves behind are killed. A shell runs Git, see small-process.mjs. TEST_ORDER=reverse runs the files in
 * reverse order.
 */
import { ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { parse } from 'uvu/parse';
import { slow } from './slow.ts';
import { processorTime } from './support/processor-time.ts';
import './support/small-process.mjs';

type Outcome = [errors: string | true, passed: number, skipped: number, total: number];
type Suite = { name: string; file: string };
type Runner = (index: number) => Promise<Outcome>;
const state = globalThis as unknown as { UVU_DEFER: number; UVU_QUEUE: [string, ...Runner[]][]; UVU_INDEX: number };
state.UVU_DEFER = 1;
state.UVU_QUEUE = [];

/**
 * The time without a result after which a file of a full run counts as hanging, in milliseconds: a named failure is better
 * than an endless run. On a busy machine, a whole file may take any time.
 */
const patience = Number(process.env.TEST_PATIENCE ?? 180_000);

/** The last line of a file. */
const endLine = /^\S+: (\d+) passed, (\d+) failed in .*\n/m;

// Most code runs only a few times in a test. By default, V8 spends a sixth of the time on optimizing it. Only Node.js 20 has the flag.
if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=500000');

// West of Greenwich, midnight in UTC is on the day before: code that uses the time zone of the machine gets a wrong day.
process.env.TZ = 'America/Los_Angeles';

let passed = 0;
let failed = 0;
let finished = false;
let running = '';

const [given] = process.argv.slice(2);
const isWorker = given === '--worker';
const isUnit = given === '--unit';
const pattern = isWorker || isUnit ? undefined : given;
// One folder for everything that the run leaves behind: the cache of social images, most of which are the same in all
// builds, and all temporary folders. Children get it through the environment.
const folder = isWorker ? undefined : mkdtempSync(join(roomyFolder(), 'catalog-tests-'));
if (folder !== undefined) {
  process.env.CATALOG_CACHE = join(folder, 'cache');
  process.env.TEST_FOLDER = folder;
}
process.env.TMPDIR = process.env.TEST_FOLDER;

/** With more room for new objects, a worker needs less time to find the old ones, and one thread for that is enough. */
const economical = [
  '--v8-pool-size=1',
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
  '--initial-old-space-size=512',
];

/** The folder of the bundled test files. */
let bundles: string | undefined;

const children = watchChildren();
process.on('uncaughtException', (error) => {
  failed += 1;
  process.stdout.write(`FAIL  ${running}  an error outside of its tests\n${inspect(error)}\n`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
if (isWorker) process.once('disconnect', () => process.exit(1));

process.on('exit', () => {
  // A worker stops its own children when it gets SIGTERM.
  // PostgreSQL would leave shared memory behind if it were killed.
  const signalFor = ({ spawnfile }: ChildProcess) => (spawnfile.endsWith('postgres') ? 'SIGQUIT' : 'SIGKILL');
  for (const child of children) child.kill(isWorker || pattern !== undefined ? signalFor(child) : 'SIGTERM');
  for (const path of [folder, bundles]) if (path !== undefined) rmSync(path, { recursive: true, force: true });
  if (!finished) failed += 1;
  // The process that started a worker has counted the results of each file.
  if (!isWorker) console.log(`${processorTime().toFixed(0)} s of processor time\n${passed} passed, ${failed} failed`);
  // If there are few files, a worker may get none.
  process.exitCode = failed > 0 || (passed === 0 && !isWorker) ? 1 : 0;
});

/**
 * Returns the best folder for thousands of small files: in memory, if there is space and programs can run from there.
 */
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

/** Returns the running child processes. */
function watchChildren(): ReadonlySet<ChildProcess> {
  const running = new Set<ChildProcess>();
  const prototype = ChildProcess.prototype as unknown as { spawn(options: object): unknown };
  const { spawn } = prototype;
  prototype.spawn = function (this: ChildProcess, options) {
    running.add(this);
    for (const event of ['exit', 'error']) this.once(event, () => running.delete(this));
    return Reflect.apply(spawn, this, [options]);
  };
  return running;
}

if (isWorker) await runAsTold();
else {
  const { suites } = await parse('test', pattern ?? /\.test\.ts$/);
  const files = suites.filter(({ name }) => name.endsWith('.test.ts') && !(isUnit && isSlow(name)));
  if (process.env.TEST_ORDER === 'reverse') files.reverse();
  if (pattern === undefined) await runInWorkers(files);
  else for (const { name, file } of files) await runFile(name, file);
}
finished = true;
process.exit(failed > 0 ? 1 : 0);

/** Whether `npm run test:unit` leaves a file out. */
function isSlow(name: string): boolean {
  return slow.some((entry) => (entry.endsWith('/') ? name.startsWith(entry) : name === `${entry}.test.ts`));
}

/**
 * Starts three processes. Each asks for the next file when it is done with one, and the files with the longest text
 * come first. The output of a file is shown when it ends. A process that ends too early counts as a failure, and
 * another one continues with the remaining files.
 */
async function runInWorkers(files: readonly Suite[]): Promise<void> {
  const size = ({ file }: Suite) => statSync(file).size;
  const sorted = [...files].sort((a, b) => size(b) - size(a));
  if (process.env.TEST_ORDER === 'reverse') sorted.reverse();
  const { runner, suites: waiting } = await bundled(sorted);
  await Promise.all(
    [1, 2, 3].slice(0, files.length).map(async () => {
      while (waiting.length > 0) await runWorker(runner, waiting);
    }),
  );
}

/** Bundles this runner and the files, except to measure which lines of src/ run. */
async function bundled(files: readonly Suite[]): Promise<{ runner: string[]; suites: Suite[] }> {
  const own = fileURLToPath(import.meta.url);
  if (process.env.NODE_V8_COVERAGE !== undefined) return { runner: [...process.execArgv, own], suites: [...files] };
  const { bundleTests } = await import('../tools/mutation/bundle.ts');
  const cache = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));
  mkdirSync(cache, { recursive: true });
  bundles = mkdtempSync(join(cache, 'tests-'));
  const entries = files.map(({ name, file }) => [name, file]);
  await bundleTests({ ...Object.fromEntries(entries), run: own }, bundles);
  const suites = files.map(({ name }) => ({ name, file: join(String(bundles), `${name}.mjs`) }));
  return { runner: [join(bundles, 'run.mjs')], suites };
}

async function runWorker(runner: readonly string[], waiting: Suite[]): Promise<void> {
  const worker = spawn(process.execPath, [...economical, ...runner, '--worker'], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let isReady = false;
  let current: string | undefined;
  let watchdog: NodeJS.Timeout | undefined;
  const watch = () => {
    clearTimeout(watchdog);
    if (current !== undefined) watchdog = setTimeout(giveUp, patience, worker, current);
  };
  worker.on('message', () => {
    isReady = true;
    const next = waiting.shift();
    current = next?.name;
    worker.send(next ?? 'end');
    watch();
  });
  let output = '';
  let bad = 0;
  worker.stdout?.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
    // uvu prints a dot for each test that ended.
    watch();
    for (let end = endLine.exec(output); end !== null; end = endLine.exec(output)) {
      const block = output.slice(0, end.index + end[0].length);
      process.stdout.write(block);
      output = output.slice(block.length);
      passed += Number(end[1]);
      bad += Number(end[2]);
    }
  });
  // A process that it left behind could keep its output open.
  worker.once('exit', () => setTimeout(() => worker.stdout?.destroy(), 5_000).unref());
  await once(worker, 'close');
  clearTimeout(watchdog);
  process.stdout.write(output);
  if (current !== undefined) {
    bad += 1;
    process.stdout.write(`FAIL  ${current}  its process ended early: ${worker.signalCode ?? worker.exitCode}\n`);
  }
  failed += Math.max(bad, worker.exitCode === 0 ? 0 : 1);
  if (!isReady) throw new Error('A worker did not start.');
}

/** Ends a worker whose file hangs. One that cannot end its children, since it runs an endless loop, is killed. */
function giveUp(worker: ChildProcess, name: string): void {
  process.stdout.write(`FAIL  ${name}  was stopped after ${patience / 1000} s without a result\n`);
  worker.kill('SIGTERM');
  setTimeout(() => worker.kill('SIGKILL'), 5000).unref();
}

/** Runs the files that the parent process names, one after the other, until there are no more. */
async function runAsTold(): Promise<void> {
  for (;;) {
    process.send?.('next');
    const [told] = (await once(process, 'message')) as [Suite | 'end'];
    if (told === 'end') return;
    try {
      await runFile(told.name, told.file);
    } catch (error) {
      process.stdout.write(`${inspect(error)}\n`);
      process.exit(1);
    }
  }
}

async function runFile(name: string, file: string): Promise<void> {
  running = name;
  const before = new Set(children);
  const queue: [string, ...Runner[]] = [name];
  state.UVU_INDEX = state.UVU_QUEUE.push(queue) - 1;
  const begun = { time: performance.now(), processor: processorTime(), passed, failed };
  await import(pathToFileURL(file).href);
  const runners = queue.slice(1) as Runner[];
  if (runners.length === 0) throw new Error(`${name} never calls test.run()`);
  process.stdout.write(`${name}\n`);
  for (const [index, runner] of runners.entries()) {
    const [errors, ok, skipped, total] = await runner(index);
    passed += ok;
    failed += total - ok;
    if (skipped > 0) process.stdout.write(`  ${skipped} skipped\n`);
    if (errors !== true) process.stdout.write(errors);
    // uvu reports nothing if a hook throws, or if it cannot print an error of a test.
    else if (ok < total)
      process.stdout.write(
        `FAIL  ${name}  stopped after ${ok} of ${total} tests: a hook threw, or uvu cannot print an error\n`,
      );
  }
  stopLeftovers(name, before);
  const results = `${passed - begun.passed} passed, ${failed - begun.failed} failed`;
  const seconds = ((performance.now() - begun.time) / 1000).toFixed(1);
  const processor = (processorTime() - begun.processor).toFixed(1);
  process.stdout.write(`${name}: ${results} in ${seconds} s, ${processor} s of processor time\n`);
}

/**
 * Kills processes that a file started and did not stop, and counts them as a failure. The compiler of tsx keeps
 * running.
 */
function stopLeftovers(name: string, before: ReadonlySet<ChildProcess>): void {
  for (const child of children) {
    const { killed, spawnfile, spawnargs, pid } = child;
    // A process without a pid never started, which is what its test checks.
    if (pid === undefined || before.has(child) || killed || spawnfile.includes('esbuild')) continue;
    child.kill('SIGKILL');
    failed += 1;
    process.stdout.write(`FAIL  ${name}  left process ${pid} running: ${spawnargs.join(' ').slice(0, 200)}\n`);
  }
}

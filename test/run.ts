/**
 * Runs every `*.test.ts` below test/ (or those whose path matches the pattern given) in this one process,
 * one file after the other, and ends with the line `N passed, N failed`.
 *
 * uvu's own command loads tests as CommonJS and loses what a hook throws; this runner uses uvu's queue directly.
 * An early stop counts as one failure, and the exit code is set explicitly, since a test's own hooks may change it.
 */
import { pathToFileURL } from 'node:url';
import { parse } from 'uvu/parse';

type Outcome = [errors: string | true, passed: number, skipped: number, total: number];
type Runner = (index: number) => Promise<Outcome>;
const state = globalThis as unknown as { UVU_DEFER: number; UVU_QUEUE: [string, ...Runner[]][]; UVU_INDEX: number };
state.UVU_DEFER = 1;
state.UVU_QUEUE = [];

let passed = 0;
let failed = 0;
let finished = false;
let current = '';

/** A file that takes longer than this, in milliseconds, hangs: better a named failure than a run without end. */
const patience = 180_000;

process.on('exit', () => {
  if (!finished) failed += 1;
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
});

const { suites } = await parse('test', process.argv[2] ?? /\.test\.ts$/);
for (const { name, file } of suites.filter((suite) => suite.name.endsWith('.test.ts'))) {
  const queue: [string, ...Runner[]] = [name];
  state.UVU_INDEX = state.UVU_QUEUE.push(queue) - 1;
  const begun = performance.now();
  current = name;
  const watchdog = setTimeout(() => {
    console.error(`${current} did not end within ${patience / 1000} s`);
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
finished = true;
process.exit(failed > 0 ? 1 : 0);

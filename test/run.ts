/**
 * Runs every `*.test.ts` below test/, or those whose path matches the pattern given, and ends with the line
 * `N passed, N failed`.
 *
 * Without a pattern the files are shared out between two processes, which is what two cores take. Within a process they
 * run one after the other. uvu's own command loads tests as CommonJS and loses what a hook throws; this runner uses
 * uvu's queue directly. An early stop counts as one failure, and the exit code is set explicitly, since a test's own
 * hooks may change it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'uvu/parse';

type Outcome = [errors: string | true, passed: number, skipped: number, total: number];
type Runner = (index: number) => Promise<Outcome>;
const state = globalThis as unknown as { UVU_DEFER: number; UVU_QUEUE: [string, ...Runner[]][]; UVU_INDEX: number };
state.UVU_DEFER = 1;
state.UVU_QUEUE = [];

/** A file of a full run that takes longer, in milliseconds, hangs: better a named failure than a run without end. */
const patience = 180_000;

let passed = 0;
let failed = 0;
let finished = false;

const [pattern, share] = process.argv.slice(2);
// One cache for all builds of the run: most of their share pictures are the same.
const cache = share === undefined ? mkdtempSync(join(tmpdir(), 'catalog-cache-')) : undefined;
if (cache !== undefined) process.env.CATALOG_CACHE = cache;

process.on('exit', () => {
  if (cache !== undefined) rmSync(cache, { recursive: true, force: true });
  if (!finished) failed += 1;
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
});

const { suites } = await parse('test', pattern ?? /\.test\.ts$/);
const files = suites.filter(({ name }) => name.endsWith('.test.ts'));
if (pattern === undefined) await runShares();
else
  for (const { name, file } of share === undefined ? files : shareOut(files, Number(share))) await runFile(name, file);
finished = true;
process.exit(failed > 0 ? 1 : 0);

/** Both halves at once, each in a process of its own; what a half printed is shown when it ends. */
async function runShares(): Promise<void> {
  await Promise.all(
    [0, 1].map(async (index) => {
      const args = ['--import', 'tsx', fileURLToPath(import.meta.url), '\\.test\\.ts$', String(index)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      for await (const chunk of child.stdout) output += chunk;
      if (child.exitCode === null) await once(child, 'exit');
      const [, good = '0', bad = '0'] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
      process.stdout.write(output.replace(/\d+ passed, \d+ failed\s*$/, ''));
      passed += Number(good);
      failed += Math.max(Number(bad), child.exitCode === 0 ? 0 : 1);
    }),
  );
}

/** One half of the files: the longest first, each to the half that has less, the length of the text being the measure. */
function shareOut(all: typeof files, index: number): typeof files {
  const halves = [0, 1].map(() => ({ size: 0, files: [] as typeof files }));
  const bySize = [...all].sort((a, b) => statSync(b.file).size - statSync(a.file).size);
  for (const one of bySize) {
    const half = halves.reduce((least, other) => (other.size < least.size ? other : least));
    half.size += statSync(one.file).size;
    half.files.push(one);
  }
  return halves[index]?.files ?? [];
}

async function runFile(name: string, file: string): Promise<void> {
  const queue: [string, ...Runner[]] = [name];
  state.UVU_INDEX = state.UVU_QUEUE.push(queue) - 1;
  const begun = performance.now();
  const watchdog =
    share === undefined
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

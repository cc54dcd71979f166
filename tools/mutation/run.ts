import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleTests } from './bundle.ts';
import { moduleTests } from './module-tests.ts';
import { processes } from './processes.ts';
import { report } from './report.ts';
import { type Mutant, makeSandbox, type Sandbox } from './sandbox.ts';
import { killWorkers, Worker } from './worker-process.ts';

/**
 * `npm run mutate -- src/<folder> [part of a path]` makes small changes to the code of a folder, one at a time, and
 * lists the changes that the tests of the folder do not notice.
 *
 * Each test file gets a process, which switches mutants on and off and runs only the tests that reach the active one.
 * This does not cover code that runs on import, or whose result a module keeps. Survivors are therefore run again in
 * new processes that have the mutant from the start, with the files that this can concern.
 */

const patience = (milliseconds: number) => 5_000 + 5 * milliseconds;
/**
 * The longest test file that a mutant in code that runs on import gets a new process for, in milliseconds of processor
 * time, which does not depend on what else the machine does.
 */
const longestStart = 6_000;
const hitLimit = (hits: number) => 1_000 + 100 * hits;

/** A test file, and the code that its tests reach without a mutant. */
interface TestFile {
  name: string;
  bundle: string;
  milliseconds: number;
  processorMilliseconds: number;
  imported: ReadonlySet<string>;
  /** How often each mutant is reached while the tests run, and by which tests; undefined if a hook reaches it. */
  reached: Map<string, { hits: number; tests: string[] | undefined }>;
  /**
   * The mutants that were not reached again while they were active, because a test or module keeps an earlier result.
   */
  kept: Set<string>;
}

/** How many mutants are tried, 0 for all, and the seed of the choice. */
export interface Sample {
  size: number;
  seed: string;
}

/** Returns the exit code: 0 if every tried mutant is noticed. */
export async function mutateSource(root: string, folder: string, part: string, sample: Sample): Promise<number> {
  const tests = moduleTests[basename(folder)];
  if (tests === undefined || !existsSync(join(root, folder))) {
    console.error(`No tests are named for ${folder}. Add it to tools/mutation/module-tests.ts.`);
    return 2;
  }
  const begun = performance.now();
  const seconds = () => Math.round((performance.now() - begun) / 1000);
  const sandbox = await makeSandbox(root, folder);
  try {
    const outdir = join(sandbox.path, 'bundles');
    const worker = fileURLToPath(new URL('worker.ts', import.meta.url));
    const entries = tests.map((name) => [name, join(sandbox.path, 'test', `${name}.test.ts`)] as const);
    await bundleTests({ worker, ...Object.fromEntries(entries) }, outdir);
    const bundles = new Map(tests.map((name) => [name, join(outdir, `${name}.mjs`)]));
    const all = sandbox.mutants.filter(({ file }) => file.includes(part));
    const mutants = chosen(all, sample);
    const ids = new Set(mutants.map(({ id }) => id));
    const killed = new Set<string>();
    const progress = (what: string) =>
      console.error(`${what}: ${killed.size} of ${mutants.length} noticed, ${seconds()} s`);
    const files = await coverageOf(sandbox, bundles, ids);
    progress('Without mutants');
    const print = () =>
      report(folder, mutants, killed, (id) => files.some((file) => file.imported.has(id) || file.reached.has(id)));
    process.once('SIGINT', () => {
      print();
      killWorkers();
      sandbox.remove();
      process.exit(130);
    });
    await share(files, async (file, index) => {
      const before = seconds();
      await switchMutants(sandbox, file, `${index}`, killed);
      progress(
        `${file.name} (${Math.round(file.milliseconds)} ms, ${file.reached.size} reached, ${seconds() - before} s)`,
      );
    });
    const rest = mutants.filter(({ id }) => !killed.has(id) && files.some((file) => needsStart(file, id)));
    let done = 0;
    await share(rest, async ({ id }) => {
      if (await isNoticed(sandbox, files, id)) killed.add(id);
      done += 1;
      if (done % 100 === 0) progress(`${done} of ${rest.length} from the start`);
    });
    print();
    console.log(`${mutants.length} of ${all.length} mutants, ${seconds()} s`);
    return killed.size === mutants.length ? 0 : 1;
  } finally {
    sandbox.remove();
  }
}

/** Returns a sample that stays the same as long as the mutants stay the same. */
function chosen(mutants: Mutant[], { size, seed }: Sample): Mutant[] {
  if (size === 0 || size >= mutants.length) return mutants;
  const draw = ({ id, file, change }: Mutant) =>
    createHash('sha256').update([seed, file, change, id].join('\n')).digest('hex');
  const drawn = mutants.map((mutant) => ({ mutant, place: draw(mutant) }));
  drawn.sort((a, b) => (a.place < b.place ? -1 : 1));
  const taken = new Set(drawn.slice(0, size).map(({ mutant }) => mutant));
  return mutants.filter((mutant) => taken.has(mutant));
}

/** Whether the tests of the file may miss the mutant only because the process started without it. */
const needsStart = ({ imported, kept, processorMilliseconds }: TestFile, id: string) =>
  processorMilliseconds <= longestStart && (imported.has(id) || kept.has(id));

/** Runs the work for all items, a few at a time. */
async function share<Item>(items: Item[], work: (item: Item, index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const loop = async () => {
    while (next < items.length) {
      const index = next++;
      await work(items[index] as Item, index);
    }
  };
  await Promise.all(Array.from({ length: processes }, loop));
}

/** Runs each test file once, without a mutant. Returns the fastest file first. */
async function coverageOf(
  sandbox: Sandbox,
  bundles: ReadonlyMap<string, string>,
  ids: ReadonlySet<string>,
): Promise<TestFile[]> {
  const files: TestFile[] = [];
  await share([...bundles], async ([name, bundle], index) => {
    const worker = new Worker(sandbox, bundle, `first-${index}`);
    try {
      if (!(await worker.ready(60_000))) throw new Error(`${name} cannot be imported`);
      const outcome = await worker.run({ mutant: undefined, tests: undefined }, 600_000);
      if (typeof outcome === 'string' || outcome.failed !== undefined) {
        throw new Error(`${name} fails without a mutant: ${typeof outcome === 'string' ? outcome : outcome.failed}`);
      }
      const reached: TestFile['reached'] = new Map();
      for (const [test, counts] of [[undefined, outcome.hooks] as const, ...Object.entries(outcome.inside)]) {
        for (const [id, hits] of Object.entries(counts)) {
          if (!ids.has(id)) continue;
          const before = reached.get(id) ?? { hits: 0, tests: [] };
          const tests = test === undefined || before.tests === undefined ? undefined : [...before.tests, test];
          reached.set(id, { hits: before.hits + hits, tests });
        }
      }
      const imported = new Set(Object.keys(outcome.imported).filter((id) => ids.has(id)));
      const { milliseconds, processorMilliseconds } = outcome;
      files.push({ name, bundle, milliseconds, processorMilliseconds, imported, reached, kept: new Set() });
    } finally {
      await worker.stop();
    }
  });
  return files.sort((a, b) => a.milliseconds - b.milliseconds);
}

/**
 * Runs the tests of a file for every mutant that is not yet noticed, each with the tests that reach it, in as few
 * processes as possible.
 */
async function switchMutants(sandbox: Sandbox, file: TestFile, name: string, killed: Set<string>): Promise<void> {
  let worker: Worker | undefined;
  /** A process in which all tests have passed without a mutant. */
  const started = async () => {
    const fresh = new Worker(sandbox, file.bundle, name);
    const isReady = await fresh.ready(60_000);
    const outcome = isReady ? await fresh.run({ mutant: undefined, tests: undefined }, 600_000) : 'crash';
    if (typeof outcome !== 'string' && outcome.failed === undefined) return fresh;
    await fresh.stop();
    return undefined;
  };
  for (const [mutant, { hits, tests }] of file.reached) {
    if (killed.has(mutant)) continue;
    worker ??= await started();
    if (worker === undefined) {
      // The file cannot be run twice in one process.
      file.kept.add(mutant);
      continue;
    }
    const order = { mutant, tests, limit: hitLimit(hits) };
    let outcome = await worker.run(order, patience(file.milliseconds));
    if (outcome === 'crash') {
      // An earlier mutant may have damaged the process, so only the end of a new one counts.
      const fresh = await started();
      if (fresh !== undefined) {
        worker = fresh;
        outcome = await fresh.run(order, patience(file.milliseconds));
        if (outcome === 'crash') killed.add(mutant);
      }
    }
    if (outcome === 'timeout') killed.add(mutant);
    if (typeof outcome === 'string') {
      worker = undefined;
      file.kept.add(mutant);
    } else if (outcome.failed !== undefined) {
      // Without the mutant, the test must pass again. If not, this mutant or an earlier one has damaged the process.
      const failed = outcome.failed === 'a hook' ? undefined : [outcome.failed];
      const again = await worker.run({ mutant: undefined, tests: failed }, patience(file.milliseconds));
      if (typeof again !== 'string' && again.failed === undefined) killed.add(mutant);
      else {
        file.kept.add(mutant);
        await worker.stop();
        worker = undefined;
      }
    } else if (outcome.hits === 0) {
      file.kept.add(mutant);
    }
  }
  await worker?.stop();
}

/** Whether a test fails in a process that has the mutant from the start. */
async function isNoticed(sandbox: Sandbox, files: readonly TestFile[], mutant: string): Promise<boolean> {
  for (const file of files.filter((candidate) => needsStart(candidate, mutant))) {
    const worker = new Worker(sandbox, file.bundle, `start-${mutant}`, mutant);
    try {
      if (!(await worker.ready(20_000))) return true;
      const tests = file.imported.has(mutant) ? undefined : file.reached.get(mutant)?.tests;
      const outcome = await worker.run({ mutant, tests }, patience(file.milliseconds));
      if (typeof outcome === 'string' || outcome.failed !== undefined) return true;
    } finally {
      await worker.stop();
    }
  }
  return false;
}

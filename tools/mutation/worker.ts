import { pathToFileURL } from 'node:url';
import { selection, stryker } from './switch.ts';

/**
 * Runs one test file in the sandbox, as often as the parent asks, each time with one mutant and the tests that reach
 * it. If the environment names a mutant, it is active from the first import on.
 */

export interface Order {
  mutant: string | undefined;
  /** The tests to run; undefined for all. */
  tests: string[] | undefined;
  /** How often the mutant can be reached before this counts as an endless loop. */
  limit?: number;
}

export interface Outcome {
  /** The test that failed, or the hook. */
  failed: string | undefined;
  /** The mutants that importing the file reached, and how often. Only the first outcome has them. */
  imported: Record<string, number>;
  /** The mutants that hooks reached, and those that each test reached. */
  hooks: Record<string, number>;
  inside: Record<string, Record<string, number>>;
  /** How often the active mutant was reached, in this process. */
  hits: number;
  milliseconds: number;
  /** The processor time of this process. */
  processorMilliseconds: number;
}

type Runner = (index: number) => Promise<[errors: string | true, passed: number, skipped: number, total: number]>;
const queue: Runner[] = [];
Object.assign(globalThis, { UVU_DEFER: 1, UVU_INDEX: 0, UVU_QUEUE: [queue] });
const print = process.stdout.write;
process.stdout.write = () => true;

const [file = ''] = process.argv.slice(2);
await import(pathToFileURL(file).href);
let imported = takeCoverage().static;
process.on('message', async (order: Order) => {
  process.send?.(await outcomeOf(order));
});
process.send?.('ready');

async function outcomeOf({ mutant, tests, limit }: Order): Promise<Outcome> {
  const begun = performance.now();
  const before = process.cpuUsage();
  stryker.activeMutant = mutant;
  stryker.hitCount = 0;
  stryker.hitLimit = limit ?? Number.POSITIVE_INFINITY;
  if (mutant === undefined) delete process.env.__STRYKER_ACTIVE_MUTANT__;
  else process.env.__STRYKER_ACTIVE_MUTANT__ = mutant;
  selection.tests = tests === undefined ? undefined : new Set(tests);
  selection.failed = undefined;
  for (const run of queue) {
    try {
      const [errors] = await run(0);
      if (errors === true) continue;
      selection.failed ??= 'a hook';
      if (mutant === undefined) print.call(process.stderr, errors);
    } catch {
      selection.failed ??= 'a hook';
    }
    break;
  }
  const { user, system } = process.cpuUsage(before);
  stryker.activeMutant = undefined;
  const { static: hooks, perTest: inside } = takeCoverage();
  const outcome = {
    failed: selection.failed,
    imported,
    hooks,
    inside,
    hits: stryker.hitCount,
    milliseconds: performance.now() - begun,
    processorMilliseconds: (user + system) / 1000,
  };
  imported = {};
  return outcome;
}

/**
 * Returns the mutants reached since the last call. Instrumented files keep a reference to the object, so it is emptied,
 * not replaced.
 */
function takeCoverage(): NonNullable<typeof stryker.mutantCoverage> {
  const coverage = stryker.mutantCoverage ?? { static: {}, perTest: {} };
  const taken = structuredClone(coverage);
  for (const record of [coverage.static, coverage.perTest]) for (const key of Object.keys(record)) delete record[key];
  return taken;
}

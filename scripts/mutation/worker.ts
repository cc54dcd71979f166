import { pathToFileURL } from 'node:url';
import { selection, stryker } from './switch.ts';

/**
 * Runs one test file, in the sandbox, as often as the parent asks: each time with one mutant and the tests that reach it.
 * Started with the active mutant in the environment it has it from the first import on.
 */

export interface Order {
  mutant: string | undefined;
  tests: string[] | undefined;
}

export interface Outcome {
  /** The test that failed, or the hook. */
  failed: string | undefined;
  /** The mutants reached while no test ran, as on import, and those that each test reached. */
  outside: string[];
  inside: Record<string, string[]>;
  /** How often the active mutant was reached, in this process. */
  hits: number;
  milliseconds: number;
}

type Runner = (index: number) => Promise<[errors: string | true, passed: number, skipped: number, total: number]>;
const queue: Runner[] = [];
Object.assign(globalThis, { UVU_DEFER: 1, UVU_INDEX: 0, UVU_QUEUE: [queue] });
const print = process.stdout.write;
process.stdout.write = () => true;

const [file = ''] = process.argv.slice(2);
await import(pathToFileURL(file).href);
process.on('message', async (order: Order) => {
  process.send?.(await outcomeOf(order));
});
process.send?.('ready');

async function outcomeOf({ mutant, tests }: Order): Promise<Outcome> {
  const begun = performance.now();
  stryker.activeMutant = mutant;
  stryker.hitCount = 0;
  stryker.hitLimit = Number.POSITIVE_INFINITY;
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
  stryker.activeMutant = undefined;
  // The instrumented files hold on to this object, so it is emptied and not replaced.
  const { static: outside, perTest } = stryker.mutantCoverage ?? { static: {}, perTest: {} };
  const outcome = {
    failed: selection.failed,
    outside: Object.keys(outside),
    inside: Object.fromEntries(Object.entries(perTest).map(([test, reached]) => [test, Object.keys(reached)])),
    hits: stryker.hitCount,
    milliseconds: performance.now() - begun,
  };
  for (const record of [outside, perTest]) for (const key of Object.keys(record)) delete record[key];
  return outcome;
}

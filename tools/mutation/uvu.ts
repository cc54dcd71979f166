import { readFileSync, rmSync } from 'node:fs';
import { suite as realSuite, test as realTest, type Test } from 'uvu';
import { selection, stryker } from './switch.ts';

/** uvu for a run with mutants. Only the selected tests run, up to the first one that fails. */

let count = 0;

function wrapped<Context>(real: Test<Context>): Test<Context> {
  const add: typeof real = Object.assign((...[name, handler]: Parameters<typeof real>) => {
    const id = `${count++} ${name}`;
    real(name, async (context) => {
      if (selection.failed !== undefined || !(selection.tests?.has(id) ?? true)) return;
      stryker.currentTestId = id;
      try {
        await handler(context);
      } catch (error) {
        selection.failed = id;
        throw error;
      } finally {
        stryker.currentTestId = undefined;
        addCoverageOfChildren(id);
      }
    });
  }, real);
  return add;
}

/** Adds the mutants that processes of a test have reached. They write them to a file when they exit. */
function addCoverageOfChildren(id: string): void {
  const file = process.env.MUTATION_COVERAGE;
  if (file === undefined || stryker.mutantCoverage === undefined) return;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
    rmSync(file);
  } catch {
    return;
  }
  stryker.mutantCoverage.perTest[id] ??= {};
  const reached = stryker.mutantCoverage.perTest[id];
  for (const mutant of text.split(/\s+/).filter(Boolean)) reached[mutant] = 1;
}

export const test: typeof realTest = wrapped(realTest);
export const suite: typeof realSuite = (name, context) => wrapped(realSuite(name, context));

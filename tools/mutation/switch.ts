/**
 * The code that Stryker's instrumenter adds to the source uses this: the active mutant, and the mutants that were
 * reached.
 */
interface Switch {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  /** How often the active mutant was reached. Past the limit, it throws. */
  hitCount?: number;
  hitLimit?: number;
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}

interface Selection {
  /** The tests to run; undefined for all. */
  tests: ReadonlySet<string> | undefined;
  /** The first test that failed. Later ones are not run. */
  failed: string | undefined;
}

const state = globalThis as unknown as { __stryker__?: Switch; mutationSelection?: Selection };

state.__stryker__ ??= {};
state.mutationSelection ??= { tests: undefined, failed: undefined };

/** The switch and the selected tests, shared by the whole process. */
export const stryker: Switch = state.__stryker__;
export const selection: Selection = state.mutationSelection;

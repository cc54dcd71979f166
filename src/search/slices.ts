import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a slice is, in milliseconds. */
const sliceMs = 8;

/**
 * Runs long work in slices, so that requests are answered in between. The work can be interrupted wherever it yields.
 * Each call starts with a new turn of the event loop, so that calls in a row do not add up to a long slice.
 */
export async function inSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
    const begun = performance.now();
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() - begun < sliceMs);
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work goes on before other work gets its turn, in milliseconds. */
const sliceMs = 8;

/**
 * Runs a long piece of work in slices, so that requests are answered meanwhile: it may stop wherever it yields. It begins
 * with a turn of its own, so that one piece after another does not add up.
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

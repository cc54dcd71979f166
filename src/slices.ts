import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work goes on before other work gets its turn, in milliseconds. */
const sliceMs = 8;

/** Runs a long piece of work in slices, so that requests are answered meanwhile: it may stop wherever it yields. */
export async function inSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  let begun = performance.now();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (performance.now() - begun < sliceMs) continue;
    await nextTurn();
    begun = performance.now();
  }
}

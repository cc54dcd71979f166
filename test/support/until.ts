import { setTimeout as sleep } from 'node:timers/promises';

/** How long to wait, in milliseconds: enough for the slowest machine, since only a test that fails waits so long. */
const usualPatienceMs = 15_000;

/** Resolves once `holds` returns true. Throws if it does not within the patience, in milliseconds. */
export async function until(holds: () => boolean | Promise<boolean>, patienceMs = usualPatienceMs): Promise<void> {
  for (const end = performance.now() + patienceMs; !(await holds()); await sleep(5)) {
    if (performance.now() > end) throw new Error(`This never became so: ${holds}`);
  }
}

/** Settles like `promise`, or rejects if that takes too long. */
export async function soon<Result>(promise: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('This never came to an end.')), usualPatienceMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

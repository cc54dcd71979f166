/** A task that is done once for each day. */
export interface DailyOptions {
  /** Today, as YYYY-MM-DD. */
  today(): string;
  /** How long it is until the next day begins, in milliseconds. */
  untilTomorrow(): number;
  /** Does the task. A rejection means that it has to be done again. */
  task(): Promise<void>;
  /** The day for which the task is done, or null if it has to be done again soon. */
  done: string | null;
  /** How long to wait at most before looking at the clock again, in milliseconds: clocks change and machines sleep. @default 60000 */
  longestWaitMs?: number;
  /** How long to wait after a first failure, in milliseconds. The wait doubles with each further one, up to half an hour. @default 5000 */
  retryMs?: number;
}

const longestRetryMs = 30 * 60_000;
/** However near the next day is, the clock is looked at no sooner, in milliseconds. */
const shortestWaitMs = 100;

/**
 * Does a task whenever the day is not the one for which it was done last: after midnight, and also after the clock was
 * set back. A task that fails is tried again.
 *
 * Returns the function that ends it.
 */
export function daily({
  today,
  untilTomorrow,
  task,
  done,
  longestWaitMs = 60_000,
  retryMs = 5_000,
}: DailyOptions): () => void {
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  let failures = done === null ? 1 : 0;

  function wait(): void {
    const longest = failures === 0 ? longestWaitMs : Math.min(retryMs * 2 ** (failures - 1), longestRetryMs);
    timer = setTimeout(look, Math.max(Math.min(untilTomorrow(), longest), shortestWaitMs));
    timer.unref();
  }

  async function look(): Promise<void> {
    const day = today();
    if (day !== done) {
      try {
        await task();
        done = day;
        failures = 0;
      } catch {
        done = null;
        failures += 1;
      }
    }
    if (!ended) wait();
  }

  wait();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

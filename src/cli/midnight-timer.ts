/** A task that runs once a day. */
export interface DailyOptions {
  /** Today, as YYYY-MM-DD. */
  today(): string;
  /** How long it is until the next day begins, in milliseconds. */
  untilTomorrow(): number;
  /** Runs the task. If it rejects, the task is retried. */
  task(): Promise<void>;
  /** The day for which the task has run; null if it must run soon. */
  done: string | null;
  /** How long to wait at most before looking at the clock again, in milliseconds: clocks change and machines sleep. @default 60000 */
  longestWaitMs?: number;
  /** How long to wait after a first failure, in milliseconds. The wait doubles with each further one, up to half an hour. @default 5000 */
  retryMs?: number;
}

const longestRetryMs = 30 * 60_000;
/** The shortest wait before the clock is checked again, in milliseconds. */
const shortestWaitMs = 100;

/**
 * Runs a task whenever the date differs from that of the last run: after midnight, and after the clock was set back.
 * Failed tasks are retried.
 *
 * Returns a function that stops it.
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

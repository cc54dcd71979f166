import { setImmediate as turn } from 'node:timers/promises';

export interface GroupCommitOptions {
  /** The most items in a pass. @default 1000 */
  maxPerPass?: number;
  /**
   * The most items that may wait. More are refused, so that memory does not fill up while a disk hangs. @default 10000
   */
  maxWaiting?: number;
  /**
   * Called before each pass. Items that arrive until it settles join the pass. If it rejects, every item of that pass
   * does. @default one turn of the event loop
   */
  ready?(): Promise<void>;
  /** Called after each pass with how many items were stored, and how long that took, in milliseconds. */
  onPass?: ((items: number, ms: number) => void) | undefined;
}

/**
 * Collects items that arrive during a pass, so that the next pass stores them all at the cost of one.
 *
 * Calls `flush` with the items of each pass, in the order of their arrival; it returns one result for each item. It is
 * never called during an earlier call. If it rejects, every item of that pass does.
 */
export function groupCommit<Item, Result>(
  flush: (items: readonly Item[]) => Promise<readonly Result[]>,
  { maxPerPass = 1000, maxWaiting = 10_000, ready = turn, onPass }: GroupCommitOptions = {},
) {
  const waiting: { item: Item; resolve(result: Result): void; reject(error: unknown): void }[] = [];
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const begun = performance.now();
      const readiness = ready();
      // Responses to one pass bring the next requests. If a pass began with the first of them, all others would wait for
      // it, so that each request would take the time of two passes.
      await Promise.allSettled([readiness]);
      const pass = waiting.splice(0, maxPerPass);
      try {
        await readiness;
        const results = await flush(pass.map(({ item }) => item));
        onPass?.(pass.length, performance.now() - begun);
        for (const [index, { resolve }] of pass.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of pass) reject(error);
      }
    }
    running = null;
  }

  return {
    /** Settles with the pass that includes the item. */
    add(item: Item): Promise<Result> {
      if (waiting.length >= maxWaiting)
        return Promise.reject(new Error(`${maxWaiting} items are already waiting to be stored.`));
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running ??= run();
      });
    },
    /** Resolves once no items are waiting and no pass is running. */
    async idle() {
      await running;
    },
  };
}

import { setImmediate as turn } from 'node:timers/promises';

/** Gathers items that arrive while a pass is under way, so that the next pass takes them all at the cost of one. */
export interface GroupCommit<Item, Result> {
  /** Settles as the pass does that took the item. */
  add(item: Item): Promise<Result>;
  /** Resolves once nothing waits and no pass is under way. */
  idle(): Promise<void>;
}

export interface GroupCommitOptions {
  /** The most items that a pass takes. @default 1000 */
  maxPerPass?: number;
  /** The most items that wait for a pass; further ones are refused, so that a disk that hangs fills no memory. @default 10000 */
  maxWaiting?: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Makes a group commit of `flush`, which gets the items of a pass in the order of their arrival, gives one result for
 * each, and is never called while a former call is under way. When it rejects, so does every item of that pass.
 */
export function groupCommit<Item, Result>(
  flush: (items: readonly Item[]) => Promise<readonly Result[]>,
  { maxPerPass = 1000, maxWaiting = 10_000 }: GroupCommitOptions = {},
): GroupCommit<Item, Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      // What came in with the same turn of the event loop (the answers to one pass bring the next requests) joins this pass.
      await turn();
      const pass = waiting.splice(0, maxPerPass);
      try {
        const results = await flush(pass.map(({ item }) => item));
        for (const [index, { resolve }] of pass.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of pass) reject(error);
      }
    }
    running = null;
  }

  return {
    add(item) {
      if (waiting.length >= maxWaiting) return Promise.reject(new Error(`${maxWaiting} wait to be stored already.`));
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running ??= run();
      });
    },
    async idle() {
      await running;
    },
  };
}

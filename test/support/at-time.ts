/** Runs `use` while the clock of this process stands at a time, in milliseconds since 1970. */
export async function atTime<Result>(time: number, use: () => Result | Promise<Result>): Promise<Result> {
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...args: unknown[]) {
      super(...((args.length === 0 ? [time] : args) as [number]));
    }
    static override now() {
      return time;
    }
  } as DateConstructor;
  try {
    return await use();
  } finally {
    globalThis.Date = RealDate;
  }
}

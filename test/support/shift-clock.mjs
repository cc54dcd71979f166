/** Preloaded into a process and, by NODE_OPTIONS, into its children: the clock is CLOCK_SHIFT milliseconds ahead. */
const shift = Number(process.env.CLOCK_SHIFT);
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + shift);
    else super(...args);
  }
  static now() {
    return RealDate.now() + shift;
  }
};

/**
 * Preloaded into a process and, by NODE_OPTIONS, into its children: the clock is CLOCK_SHIFT milliseconds ahead, or as many as
 * the file CLOCK_FILE says at that time. With that file, what looks at the clock once a minute does so ten times a second.
 */
import { readFileSync } from 'node:fs';

const { CLOCK_SHIFT, CLOCK_FILE } = process.env;
const shift = () => Number(CLOCK_FILE === undefined ? CLOCK_SHIFT : readFileSync(CLOCK_FILE, 'utf8'));
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + shift());
    else super(...args);
  }
  static now() {
    return RealDate.now() + shift();
  }
};

if (CLOCK_FILE !== undefined) {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, ms === 60_000 ? 100 : ms, ...rest);
}

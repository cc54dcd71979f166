import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const changing = ['mkdirSync', 'writeFileSync', 'linkSync', 'renameSync', 'rmSync', 'unlinkSync', 'rmdirSync'] as const;
type Call = (...args: unknown[]) => unknown;

/**
 * Runs the synchronous function `use` as if the process were killed at the Nth call that changes the disk: this call
 * and all later ones do nothing, including the operations of cleanup code. A write is cut in the middle. Returns whether there
 * were as many calls.
 *
 * The disk is left as after a SIGKILL, in a hundredth of the time that a process takes.
 */
export function dieAt(step: number, use: () => void): boolean {
  const calls = fs as unknown as Record<(typeof changing)[number], Call>;
  const originals = changing.map((name) => [name, calls[name]] as const);
  const death = new Error('killed');
  let count = 0;
  for (const [name, original] of originals) {
    calls[name] = (...args) => {
      count += 1;
      if (count === step && name === 'writeFileSync') {
        const bytes = args[1] as Buffer;
        original(args[0], bytes.subarray(0, bytes.length >> 1));
      }
      if (count >= step) throw death;
      return original(...args);
    };
  }
  syncBuiltinESMExports();
  try {
    use();
  } catch (error) {
    if (error !== death) throw error;
  } finally {
    for (const [name, original] of originals) calls[name] = original;
    syncBuiltinESMExports();
  }
  return count >= step;
}

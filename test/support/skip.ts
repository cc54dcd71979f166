import { test } from 'uvu';

/** `test`, or where there is a reason not to run it, one that is counted as skipped and says why. */
export function testUnless(reason: string | false): (name: string, body: () => unknown) => void {
  if (reason === false) return (name, body) => test(name, async () => void (await body()));
  return (name) => {
    process.stdout.write(`skipped: ${name} (${reason})\n`);
    test.skip(name);
  };
}

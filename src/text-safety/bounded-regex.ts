import { Script } from 'node:vm';

/** How long a regular expression may look for a match in one answer, in milliseconds. */
const limitMs = 500;

/** Whether some part of `text` matches, or `slow` if finding out takes too long. */
export function matches(source: string, text: string): boolean | 'slow' {
  // A regular expression can run for years. Only a script can be stopped in the middle of one.
  const script = new Script(`${regexCode(source)}.test(${JSON.stringify(text)})`);
  try {
    return script.runInThisContext({ timeout: limitMs }) as boolean;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'slow';
    throw error;
  }
}

/** Returns a regular expression as JavaScript, in one line. */
export function regexCode(source: string): string {
  const { pattern, flags } = partsOf(source);
  return `new RegExp(${JSON.stringify(pattern)}, ${JSON.stringify(flags)})`;
}

/** Says what is wrong with a regular expression, or returns null. */
export function regexFlaw(source: string): string | null {
  const { pattern, flags } = partsOf(source);
  try {
    new RegExp(pattern, flags);
    return null;
  } catch (error) {
    return (error as Error).message.split(': ').at(-1) ?? '';
  }
}

/** `^` and `$` match at every line. `(?i)` at the start makes upper and lower case the same. */
function partsOf(source: string): { pattern: string; flags: string } {
  return source.startsWith('(?i)') ? { pattern: source.slice(4), flags: 'imu' } : { pattern: source, flags: 'mu' };
}

import { Script } from 'node:vm';

/** How long a regular expression may look for a match in a text, in milliseconds. */
const limitMs = 500;

/** Whether a part of a text matches; `slow` if finding out takes too long. */
export type Match = boolean | 'slow';

/**
 * Tells for each regular expression whether some part of `text` matches. Those after one that takes too long are not tried.
 */
export function matches(sources: readonly string[], text: string): Map<string, Match> {
  const together = tryAll(sources, text);
  if (together !== null) return new Map(sources.map((source, index) => [source, together[index] as boolean]));
  const found = new Map<string, Match>();
  for (const source of sources) {
    const alone = [...found.values()].includes('slow') ? null : tryAll([source], text);
    found.set(source, alone?.[0] ?? 'slow');
  }
  return found;
}

/** Returns null if it takes too long. A regular expression can run for years, and only a script can be stopped within one. */
function tryAll(sources: readonly string[], text: string): boolean[] | null {
  if (sources.length === 0) return [];
  const script = new Script(`[${sources.map(regexCode)}].map((regex) => regex.test(${JSON.stringify(text)}))`);
  try {
    return script.runInThisContext({ timeout: limitMs }) as boolean[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
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

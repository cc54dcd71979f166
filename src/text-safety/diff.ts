import { createTwoFilesPatch } from 'diff';
import { maskSecrets } from './find-secrets.ts';

/** The most changed lines that are shown of a file. Finding them takes the square of that time. */
const mostEdits = 1_000;

/** Returns the changes of a text as a unified diff without secrets; empty if there are none. */
export function diffOf(file: string, before: string, after: string): string {
  if (before === after) return '';
  const options = { context: 2, maxEditLength: mostEdits };
  const patch = createTwoFilesPatch(file, file, before, after, undefined, undefined, options);
  return patch === undefined ? '(too many changes to show)\n' : maskSecrets(patch.slice(patch.indexOf('\n--- ') + 1));
}

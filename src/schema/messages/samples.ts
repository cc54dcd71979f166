import { plural } from '../../lib/text.ts';
import type { Wording } from '../diagnostics/diagnostic.ts';
import { fasterPattern } from './evals.ts';

/** What is wrong with the sample input and the sample output of an agent. */

export function lengthOfSampleInput(lines: number, fewest: number, most: number): Wording {
  return {
    message: `The sample input has ${plural(lines, 'line')}; it needs ${fewest} to ${most}.`,
    hint:
      lines < fewest
        ? 'Make it as long as a real case, with one thing in it that the prompt must catch.'
        : 'Cut lines that the answer does not need: a reader has to see the whole case.',
  };
}

export const realAddress: Wording = {
  message: 'This email address may belong to someone.',
  hint: 'Use one that is reserved for examples, such as name@example.com.',
};

/** `columns` is the first row of the table in OUTPUT. */
export function sampleWithoutTable(columns: string): Wording {
  return {
    message: 'The sample output does not have the table that OUTPUT shows.',
    hint: `Use exactly the columns of OUTPUT: ${columns}`,
  };
}

/** `part` is a fixed part of OUTPUT. */
export function sampleWithoutSkeleton(part: string): Wording {
  return {
    message: 'The sample output has none of the fixed parts that OUTPUT shows.',
    hint: `Use the skeleton of OUTPUT; "${part}" is one of its parts.`,
  };
}

/** `failure` says why. `isSlow` says whether a regular expression takes too long. */
export function sampleFailsCheck(failure: string, isSlow: boolean): Wording {
  return {
    message: `sample-output.txt fails this check: ${failure}`,
    hint: isSlow
      ? fasterPattern
      : 'Correct the sample output if the prompt demands this. Otherwise, correct the check.',
  };
}

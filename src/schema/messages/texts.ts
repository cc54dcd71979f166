import { plural } from '../../lib/text.ts';
import type { Messages, Wording } from '../diagnostics/diagnostic.ts';
import { evalMessages } from './evals.ts';

/** Problems of the texts of an agent other than its prompt. */
export const textMessages = {
  // The texts that readers see: excerpt, problem, steps, demo and tags.

  lengthOfExcerpt: (length: number, least: number, most: number) => ({
    message: `\`excerpt\` has ${length} characters; it has to be ${least} to ${most} characters long.`,
    hint:
      length < least
        ? 'Say exactly what the reader gets, and from which input.'
        : 'Say only what the reader gets, and from which input.',
  }),

  excerptWithoutPeriod: {
    message: '`excerpt` does not end with a period.',
    hint: 'Make it one whole sentence that ends with a period.',
  },

  excerptOfSentences: {
    message: '`excerpt` is more than one sentence.',
    hint: 'Keep the sentence that says what the reader gets.',
  },

  excerptWithoutVerb: (word: string) => ({
    message: `\`excerpt\` starts with "${word}"; it has to start with a verb.`,
    hint: 'Say what the agent does for the reader, such as "Sorts …", "Finds …" or "Drafts …".',
  }),

  lengthOfProblem: (length: number, least: number, most: number) => ({
    message: `\`problem\` has ${length} characters; it has to be ${least} to ${most} characters long.`,
    hint:
      length < least ? 'Say whose problem it is, and when.' : 'Describe one person in one situation with one problem.',
  }),

  problemRepeatsTitle: {
    message: '`problem` repeats the title.',
    hint: 'Say who is stuck, and with what; the page already shows the title above it.',
  },

  problemRepeatsExcerpt: {
    message: '`problem` repeats the excerpt.',
    hint: 'Say what happens without the agent; the excerpt already says what it gives.',
  },

  numberOfSteps: (count: number, fewest: number, most: number) => ({
    message: `The agent has ${plural(count, 'step')}; it needs ${fewest} to ${most}.`,
    hint:
      count < fewest
        ? 'Split the steps: each should take the reader less than two minutes.'
        : 'Merge short steps: each may take the reader up to two minutes.',
  }),

  numberOfPoints: (count: number, fewest: number, most: number) => ({
    message: `The demo has ${plural(count, 'point')}; it needs ${fewest} to ${most}.`,
    hint: 'Show the pasted input, the findings, the trap in the input that the agent catches, and the result.',
  }),

  demoStartsLate: (second: number) => ({
    message: `The demo starts at second ${second}; it has to start at 0.`,
    hint: 'Count from the first thing that the reader sees.',
  }),

  sameSecond: {
    message: 'This point comes in the same second as the one before.',
    hint: 'Give each point a later second than the one before.',
  },

  demoTooLong: (second: number, last: number) => ({
    message: `The demo goes on to second ${second}; it has to end by ${last}.`,
    hint: 'Shorten the demo, or leave a point out.',
  }),

  labelTooLong: (length: number, most: number) => ({
    message: `This label has ${length} characters; at most ${most} are allowed.`,
    hint: 'Keep the few words that name what happens; the rest belongs in `detail`.',
  }),

  numberOfTags: (count: number, fewest: number, most: number) => ({
    message: `The agent has ${plural(count, 'tag')}; it should have ${fewest} to ${most}.`,
    hint: count < fewest ? 'Add tags that a reader would search for.' : 'Keep the tags that a reader would search for.',
  }),

  tagIsCategory: (category: string) => ({
    message: `The tag ${category} repeats the category.`,
    hint: 'Replace it with a tag that says more than the category.',
  }),

  /** `uses` is how many agents have the other tag. */
  similarTag: (tag: string, other: string, uses: number) => ({
    message: `The tag \`${tag}\` is close to \`${other}\`, which ${uses === 1 ? 'another agent has' : `${uses} agents have`}.`,
    hint: `Use \`${other}\`, unless readers have to tell the two apart.`,
  }),

  textCutOff: (key: string) => ({
    message: `The text of \`${key}\` ends before this \`#\`, which starts a comment.`,
    hint: 'Put the whole text in quotes.',
  }),

  // Problems of the sample input and the sample output of an agent.

  lengthOfSampleInput: (lines: number, fewest: number, most: number) => ({
    message: `The sample input has ${plural(lines, 'line')}; it needs ${fewest} to ${most}.`,
    hint:
      lines < fewest
        ? 'Make it as long as a real case, with one thing in it that the prompt must catch.'
        : 'Cut lines that the answer does not need: a reader has to see the whole case.',
  }),

  realAddress: {
    message: 'This email address may belong to someone.',
    hint: 'Use one that is reserved for examples, such as name@example.com.',
  },

  /** `columns` is the first row of the table in OUTPUT. */
  sampleWithoutTable: (columns: string) => ({
    message: 'The sample output does not have the table that OUTPUT shows.',
    hint: `Use exactly the columns of OUTPUT: ${columns}`,
  }),

  /** `part` is a fixed part of OUTPUT. */
  sampleWithoutSkeleton: (part: string) => ({
    message: 'The sample output has none of the fixed parts that OUTPUT shows.',
    hint: `Use the skeleton of OUTPUT; "${part}" is one of its parts.`,
  }),

  /** `failure` says why. `isSlow` says whether a regular expression takes too long. */
  sampleFailsCheck: (failure: string, isSlow: boolean) => ({
    message: `sample-output.txt fails this check: ${failure}`,
    hint: isSlow
      ? evalMessages.slowPattern.hint
      : 'Correct the sample output if the prompt demands this. Otherwise, correct the check.',
  }),

  // Problems of any text of an agent: hidden characters, secrets, and leftovers of merges and of `catalog new`.

  /**
   * `most` is how many such characters the text may have, if this one is allowed where it is. `isEscaped` says whether the
   * file writes it as an escape.
   */
  hiddenCharacter(name: string, most: number | null, isEscaped: boolean): Wording {
    const tooMany =
      most === null ? '' : ` Characters like it are allowed here, but at most ${most} of them in this text.`;
    return {
      message: `This is the hidden character ${name}.${tooMany}`,
      hint: isEscaped
        ? 'Look for an escape, such as \\u202E, &#x202E; or %E2%80%AE, and delete it.'
        : 'Most editors do not show it: delete it together with the characters next to it, then type those again.',
    };
  },

  /** `kind` is the kind of secret, with an article. */
  secret: (kind: string) => ({
    message: `This looks like ${kind}.`,
    hint: 'If it is real, revoke it first: it may already be in the history of git. Then write a placeholder such as <API_KEY>.',
  }),

  mergeConflict: {
    message: 'This line is a merge conflict marker.',
    hint: 'Keep one of the two versions, and delete the markers. To show a conflict, put it in a code fence.',
  },

  /** A marker that was left behind when someone resolved a merge conflict by hand. */
  leftConflictMarker: {
    message: 'This line is a merge conflict marker.',
    hint: 'Delete it, and keep one version of the lines around it.',
  },

  placeholderOfNew: {
    message: 'This is a placeholder that `catalog new` wrote.',
    hint: 'Replace it with your own text, or put `draft: true` back until you have.',
  },

  unwrittenText: {
    message: 'This looks like a placeholder for text that is still to be written.',
    hint: 'Write the text. If the reader or the assistant fills it in, declare an input in INPUT, or write a <slot> in angle brackets.',
  },
} satisfies Messages;

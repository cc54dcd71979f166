import { plural } from '../../lib/text.ts';
import type { Wording } from '../diagnostics/diagnostic.ts';

/** What is wrong with the texts that readers see of an agent: excerpt, problem, steps, demo and tags. */

export function lengthOfExcerpt(length: number, least: number, most: number): Wording {
  return {
    message: `\`excerpt\` has ${length} characters; it has to be ${least} to ${most} characters long.`,
    hint:
      length < least
        ? 'Say exactly what the reader gets, and from which input.'
        : 'Say only what the reader gets, and from which input.',
  };
}

export const excerptWithoutPeriod: Wording = {
  message: '`excerpt` does not end with a period.',
  hint: 'Make it one whole sentence that ends with a period.',
};

export const excerptOfSentences: Wording = {
  message: '`excerpt` is more than one sentence.',
  hint: 'Keep the sentence that says what the reader gets.',
};

export function excerptWithoutVerb(word: string): Wording {
  return {
    message: `\`excerpt\` starts with "${word}"; it has to start with a verb.`,
    hint: 'Say what the agent does for the reader, such as "Sorts …", "Finds …" or "Drafts …".',
  };
}

export function lengthOfProblem(length: number, least: number, most: number): Wording {
  return {
    message: `\`problem\` has ${length} characters; it has to be ${least} to ${most} characters long.`,
    hint:
      length < least ? 'Say whose problem it is, and when.' : 'Describe one person in one situation with one problem.',
  };
}

export const problemRepeatsTitle: Wording = {
  message: '`problem` repeats the title.',
  hint: 'Say who is stuck, and with what; the page already shows the title above it.',
};

export const problemRepeatsExcerpt: Wording = {
  message: '`problem` repeats the excerpt.',
  hint: 'Say what happens without the agent; the excerpt already says what it gives.',
};

export function numberOfSteps(count: number, fewest: number, most: number): Wording {
  return {
    message: `The agent has ${plural(count, 'step')}; it needs ${fewest} to ${most}.`,
    hint:
      count < fewest
        ? 'Split the steps: each should take the reader less than two minutes.'
        : 'Merge short steps: each may take the reader up to two minutes.',
  };
}

export function numberOfPoints(count: number, fewest: number, most: number): Wording {
  return {
    message: `The demo has ${plural(count, 'point')}; it needs ${fewest} to ${most}.`,
    hint: 'Show the pasted input, the findings, the trap in the input that the agent catches, and the result.',
  };
}

export function demoStartsLate(second: number): Wording {
  return {
    message: `The demo starts at second ${second}; it has to start at 0.`,
    hint: 'Count from the first thing that the reader sees.',
  };
}

export const sameSecond: Wording = {
  message: 'This point comes in the same second as the one before.',
  hint: 'Give each point a later second than the one before.',
};

export function demoTooLong(second: number, last: number): Wording {
  return {
    message: `The demo goes on to second ${second}; it has to end by ${last}.`,
    hint: 'Shorten the demo, or leave a point out.',
  };
}

export function labelTooLong(length: number, most: number): Wording {
  return {
    message: `This label has ${length} characters; at most ${most} are allowed.`,
    hint: 'Keep the few words that name what happens; the rest belongs in `detail`.',
  };
}

export function numberOfTags(count: number, fewest: number, most: number): Wording {
  return {
    message: `The agent has ${plural(count, 'tag')}; it should have ${fewest} to ${most}.`,
    hint: count < fewest ? 'Add tags that a reader would search for.' : 'Keep the tags that a reader would search for.',
  };
}

export function tagIsCategory(category: string): Wording {
  return {
    message: `The tag ${category} repeats the category.`,
    hint: 'Replace it with a tag that says more than the category.',
  };
}

/** `uses` is how many agents have the other tag. */
export function similarTag(tag: string, other: string, uses: number): Wording {
  return {
    message: `The tag \`${tag}\` is close to \`${other}\`, which ${uses === 1 ? 'another agent has' : `${uses} agents have`}.`,
    hint: `Use \`${other}\`, unless readers have to tell the two apart.`,
  };
}

export function textCutOff(key: string): Wording {
  return {
    message: `The text of \`${key}\` ends before this \`#\`, which starts a comment.`,
    hint: 'Put the whole text in quotes.',
  };
}

import type { Wording } from '../diagnostics/diagnostic.ts';

/** What is wrong with a prompt as a text that people copy: its length, its characters, names and repetitions. */

export function lengthOfPrompt(words: number, fewest: number, most: number): Wording {
  return {
    message: `The prompt has ${words} words; it should have ${fewest} to ${most}.`,
    hint: words < fewest ? 'Describe a good answer in more detail.' : 'Cut instructions that the answer does not need.',
  };
}

/** `others` are the runtimes of other vendors. */
export function vendorNamed(name: string, others: readonly string[]): Wording {
  return {
    message: `The prompt names ${name}, but the agent is also for ${others.join(', ')}.`,
    hint: 'Say it without the name, or limit `runtimes` to that vendor.',
  };
}

/** Adds to the words of a problem in how many lines it is. */
export function inLines({ message, hint }: Wording, count: number): Wording {
  return { message, hint: count === 1 ? hint : `${hint} This applies to ${count} lines.` };
}

export const curlyQuotes: Wording = {
  message: 'The prompt has curly quotes, which get lost or changed in copying.',
  hint: 'Use " and \' throughout.',
};

export const spacesAtEnd: Wording = {
  message: 'A line of the prompt ends with spaces.',
  hint: 'Delete them: they get lost in copying.',
};

export const doubleBraces: Wording = {
  message: 'Many tools fill in or remove braces like these in a prompt.',
  hint: 'Write a name in capitals instead, or a <slot> in angle brackets.',
};

export const filledInByAssistants: Wording = {
  message: 'Some assistants run or replace text like this when the prompt is installed as a command or skill.',
  hint: 'Write it in other words. If it is filled in later, write a name in capitals, or a <slot> in angle brackets.',
};

export const shellCommand: Wording = {
  message: 'Claude Code runs the text after this `!` as a shell command when it loads the agent as a skill.',
  hint: 'Remove the `!`. Until then, the published skill has a space after it, so that nothing runs.',
};

/** `share` is the part of the prompt that the other one has too, from 0 to 1. */
export function promptRepeats(share: number, other: string): Wording {
  return {
    message: `${Math.floor(share * 100)}% of this prompt is also in \`${other}\`, counted in runs of five words.`,
    hint: 'If both do the same job, improve the earlier agent instead; if not, rewrite the shared text for this job.',
  };
}

import type { Wording } from '../diagnostics/diagnostic.ts';

/** Conflicts of issue numbers and dates. Dates are YYYY-MM-DD, and `free` is the first free one. */

const nextNumberFollows = 'Delete the `issue` line; `catalog publish` writes the next number.';

/** `why` is whyKept or whyFirst. `isSameDate` says whether the keeper has the date of this agent too. */
export function numberTaken(
  number: number | null,
  keeper: string,
  why: string,
  { isSameDate, free }: { isSameDate: boolean; free: string },
): Wording {
  return {
    message: `Issue number ${number} already belongs to \`${keeper}\`${why}.`,
    hint: isSameDate
      ? `Delete the \`issue\` line. Also choose another date: \`${keeper}\` has this one, and the first free date is ${free}.`
      : nextNumberFollows,
  };
}

/** Why an agent keeps a number, as the end of a sentence. `branch` is where git has it, or null. */
export function whyKept(branch: string | null): string {
  return branch === null ? '' : ` on ${branch}`;
}

/** Why an agent keeps a number that git knows nothing about. */
export const whyFirst = ', which comes first by date and slug';

export function numberTooEarly(date: string): Wording {
  return {
    message: `This agent is dated ${date}, so it cannot have an issue number yet.`,
    hint: 'Delete the `issue` line; `catalog publish` writes the number on that date.',
  };
}

export const numberOfDraft: Wording = { message: 'A draft cannot have an issue number.', hint: nextNumberFollows };

export function numberSkipped(next: number, number: number | null): Wording {
  return { message: `The next issue number is ${next}, not ${number}.`, hint: nextNumberFollows };
}

interface Dated {
  issue: number | null;
  date: string | null;
}

export function numberOutOfOrder({ issue, date }: Dated, other: Dated & { slug: string }): Wording {
  return {
    message: `Issue number ${issue} is dated ${date}, but number ${other.issue} (\`${other.slug}\`) is dated ${other.date}. The higher number needs the later date.`,
    hint: 'Restore the original dates and numbers from git.',
  };
}

export function dateTaken(date: string, owner: string, free: string): Wording {
  return {
    message: `\`${owner}\` already has the date ${date}; only one agent is published per day.`,
    hint: `Choose another date; the first free date is ${free}.`,
  };
}

/** `last` is the date of the last agent that has a number. */
export function dateTooLate(date: string, last: string, free: string): Wording {
  return {
    message: `${date} is before ${last}, the date of the last numbered agent, so this agent can no longer get a number.`,
    hint: `Choose a later date; the first free date is ${free}.`,
  };
}

export function publishedDraft(number: number): Wording {
  return {
    message: `This agent has issue number ${number}, so it is published and can't be a draft.`,
    hint: 'Remove the `draft` line; to withdraw the agent, write `withdrawn: <reason>`.',
  };
}

export const nothingToWithdraw: Wording = {
  message: 'This agent has no issue number, so there is nothing to withdraw.',
  hint: 'Write `draft: true` instead, or delete the folder.',
};

import { yamlList } from '../../lib/text.ts';
import type { Messages, Wording } from '../diagnostics/diagnostic.ts';

const nextNumberFollows = 'Delete the `issue` line; `catalog publish` writes the next number.';

interface Dated {
  issue: number | null;
  date: string | null;
}

/** Conflicts of titles, addresses, numbers and dates, between agents and with what is published according to git. */
export const numberMessages = {
  titleTaken: (owner: string) => ({
    message: `\`${owner}\` already has this title.`,
    hint: 'Choose another title: it is how readers and assistants tell agents apart.',
  }),

  /** `owner` is the agent whose slug or former slug it is. */
  formerSlugTaken: (slug: string, owner: string) => ({
    message: `\`${slug}\` is already ${owner === slug ? 'the slug of an agent' : `a former slug of \`${owner}\``}.`,
    hint: 'Remove it here: an address can belong to only one agent.',
  }),

  slugWasTaken: (slug: string, owner: string) => ({
    message: `\`${slug}\` is a former slug of \`${owner}\`, and its old address redirects there.`,
    hint: 'Rename this folder: an address can belong to only one agent.',
  }),

  slugRefusedByClaude: (word: string) => ({
    message: `The folder name contains "${word}", so Claude refuses the agent as a skill.`,
    hint: 'Rename the folder before the agent is published.',
  }),

  // Issue numbers and dates. Dates are YYYY-MM-DD, and `free` is a free one.

  /**
   * `keeper` is the agent that keeps the number. `branch` is where git has it, or null; it is left out if git knows nothing
   * about the number. `free` is a date if the keeper has the date of this agent too, else null.
   */
  numberTaken(number: number | null, keeper: { slug: string; branch?: string | null }, free: string | null): Wording {
    const { slug, branch } = keeper;
    const why = branch === undefined ? ', which comes first by date and slug' : branch === null ? '' : ` on ${branch}`;
    return {
      message: `Issue number ${number} already belongs to \`${slug}\`${why}.`,
      hint:
        free !== null
          ? `Delete the \`issue\` line. Also choose another date: \`${slug}\` has this one, and ${free} is free.`
          : nextNumberFollows,
    };
  },

  numberTooEarly: (date: string) => ({
    message: `This agent is dated ${date}, so it cannot have an issue number yet.`,
    hint: 'Delete the `issue` line; `catalog publish` writes the number on that date.',
  }),

  numberOfDraft: { message: 'A draft cannot have an issue number.', hint: nextNumberFollows },

  numberSkipped: (next: number, number: number | null) => ({
    message: `The next issue number is ${next}, not ${number}.`,
    hint: nextNumberFollows,
  }),

  numberOutOfOrder: ({ issue, date }: Dated, other: Dated & { slug: string }) => ({
    message: `Issue number ${issue} is dated ${date}, but number ${other.issue} (\`${other.slug}\`) is dated ${other.date}. The higher number needs the later date.`,
    hint: 'Restore the original dates and numbers from git.',
  }),

  dateTaken: (date: string, owner: string, free: string) => ({
    message: `\`${owner}\` already has the date ${date}; only one agent is published per day.`,
    hint: `Choose another date; ${free} is free.`,
  }),

  /** `last` is the date of the last agent that has a number. */
  dateTooLate: (date: string, last: string, free: string) => ({
    message: `${date} is before ${last}, the date of the last numbered agent, so this agent can no longer get a number.`,
    hint: `Choose a later date; ${free} is free.`,
  }),

  publishedDraft: (number: number) => ({
    message: `This agent has issue number ${number}, so it is published and can't be a draft.`,
    hint: 'Remove the `draft` line; to withdraw the agent, write `withdrawn: <reason>`.',
  }),

  nothingToWithdraw: {
    message: 'This agent has no issue number, so there is nothing to withdraw.',
    hint: 'Write `draft: true` instead, or delete the folder. If it is online, remove this line, run `npx --no daily-agent-catalog publish --push`, and write it again.',
  },

  // Differences from the agents that are published according to git.

  /** `record` is the branch that has the number, or the commit that removed it. */
  numberLost(number: number, record: { branch: string } | { commit: string }, isDraft: boolean): Wording {
    const where =
      'branch' in record ? `on ${record.branch}` : `until commit ${record.commit.slice(0, 12)} removed the number`;
    return {
      message: `This agent was published as No. ${number} (${where}), but its \`issue\` line is missing.`,
      hint: `${isDraft ? `Replace the line \`draft\` with \`issue: ${number}\`` : `Put the line \`issue: ${number}\` back below the date`}; to withdraw the agent, also add \`withdrawn: <reason>\`.`,
    };
  },

  numberChanged: (number: number, branch: string) => ({
    message: `This agent is No. ${number} on ${branch}; a published agent keeps its number.`,
    hint: `Write \`issue: ${number}\`.`,
  }),

  dateChanged: (number: number, date: string) => ({
    message: `No. ${number} was published on ${date}; a published agent keeps its date.`,
    hint: `Write \`date: ${date}\`.`,
  }),

  /** `formerSlugs` are those that the new front matter has. */
  renamedWithoutRedirect(
    number: number,
    { before, after, formerSlugs }: { before: string; after: string; formerSlugs: readonly string[] },
  ): Wording {
    const line = `formerSlugs: ${yamlList([...formerSlugs, before].filter((slug) => slug !== after))}`;
    return {
      message: `No. ${number} was published as \`${before}\`, but that address does not redirect to \`${after}\`.`,
      hint:
        formerSlugs.length === 0
          ? `Add the line \`${line}\` to this front matter.`
          : `Change the line \`formerSlugs\` of this front matter to \`${line}\`.`,
    };
  },

  agentDeleted: (number: number, slug: string, date: string | null, branch: string) => ({
    message: `No. ${number}, published ${date === null ? '' : `on ${date} `}as \`${slug}\`, was deleted.`,
    hint: `Restore it with \`git checkout ${branch} -- agents/${slug}\`. To withdraw an agent, add \`withdrawn: <reason>\` to its front matter; to rename its folder, use \`npx --no daily-agent-catalog rename\`.`,
  }),
} satisfies Messages;

import type { Wording } from '../diagnostics/diagnostic.ts';

/** What differs from the agents that are published according to git. */

/** `where` is onBranch or untilCommit. */
export function numberLost(number: number, where: string, isDraft: boolean): Wording {
  return {
    message: `This agent was published as No. ${number} (${where}), but its \`issue\` line is missing.`,
    hint: `${isDraft ? `Replace the line \`draft\` with \`issue: ${number}\`` : `Put the line \`issue: ${number}\` back below the date`}; to withdraw the agent, also add \`withdrawn: <reason>\`.`,
  };
}

export function onBranch(branch: string): string {
  return `on ${branch}`;
}

export function untilCommit(commit: string): string {
  return `until commit ${commit.slice(0, 12)} removed the number`;
}

export function numberChanged(number: number, branch: string): Wording {
  return {
    message: `This agent is No. ${number} on ${branch}; a published agent keeps its number.`,
    hint: `Write \`issue: ${number}\`.`,
  };
}

export function dateChanged(number: number, date: string): Wording {
  return {
    message: `No. ${number} was published on ${date}; a published agent keeps its date.`,
    hint: `Write \`date: ${date}\`.`,
  };
}

/** `formerSlugs` are those that the new front matter has. */
export function renamedWithoutRedirect(
  number: number,
  { before, after, formerSlugs }: { before: string; after: string; formerSlugs: readonly string[] },
): Wording {
  const line = `formerSlugs: [${[...formerSlugs, before].filter((slug) => slug !== after).join(', ')}]`;
  return {
    message: `No. ${number} was published as \`${before}\`, but that address does not redirect to \`${after}\`.`,
    hint:
      formerSlugs.length === 0
        ? `Add the line \`${line}\` to this front matter.`
        : `Change the line \`formerSlugs\` of this front matter to \`${line}\`.`,
  };
}

export function agentDeleted(number: number, slug: string, date: string | null, branch: string): Wording {
  return {
    message: `No. ${number}, published ${date === null ? '' : `on ${date} `}as \`${slug}\`, was deleted.`,
    hint: `Restore it with \`git checkout ${branch} -- agents/${slug}\`. To withdraw an agent, add \`withdrawn: <reason>\` to its front matter; to rename its folder, use \`catalog rename\`.`,
  };
}

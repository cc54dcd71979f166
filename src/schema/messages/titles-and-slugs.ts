import type { Wording } from '../diagnostics/diagnostic.ts';

/** Titles, slugs and former slugs that an agent cannot have. */

export function titleTaken(owner: string): Wording {
  return {
    message: `\`${owner}\` already has this title.`,
    hint: 'Choose another title: it is how readers and assistants tell agents apart.',
  };
}

/** `owner` is the agent whose slug or former slug it is. */
export function formerSlugTaken(slug: string, owner: string): Wording {
  return {
    message: `\`${slug}\` is already ${owner === slug ? 'the slug of an agent' : `a former slug of \`${owner}\``}.`,
    hint: 'Remove it here: an address can belong to only one agent.',
  };
}

export function slugRefusedByClaude(word: string): Wording {
  return {
    message: `The folder name contains "${word}", so Claude refuses the agent as a skill.`,
    hint: 'Rename the folder before the agent is published.',
  };
}

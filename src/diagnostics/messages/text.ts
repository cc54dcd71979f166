import type { Wording } from '../diagnostic.ts';

/** What no text of an agent may contain: hidden characters, secrets, and leftovers of merges and of `catalog new`. */

/** `isEscaped` says whether the file writes the character as an escape. */
export function hidden(message: string, isEscaped: boolean): Wording {
  const hint = isEscaped
    ? 'If you cannot see it here, it is written as an escape, such as \\u202E, &#x202E; or %E2%80%AE. Delete the escape.'
    : 'Most editors do not show it: delete it together with the characters next to it, then type those again.';
  return { message, hint };
}

/** `kind` is the kind of secret, with an article. */
export function secret(kind: string): Wording {
  return {
    message: `This looks like ${kind}.`,
    hint: 'If it is real, revoke it first: it may already be in the history of git. Then write a placeholder such as <API_KEY>.',
  };
}

export const mergeConflict: Wording = {
  message: 'This line is a merge conflict marker.',
  hint: 'Keep one of the two versions, and delete the markers. To show a conflict, put it in a code fence.',
};

/** A marker that was left behind when someone resolved a merge conflict by hand. */
export const leftConflictMarker: Wording = {
  message: 'This line is a merge conflict marker.',
  hint: 'Delete it, and keep one version of the lines around it.',
};

export const placeholderOfNew: Wording = {
  message: 'This is a placeholder that `catalog new` wrote.',
  hint: 'Replace it with your own text, or put `draft: true` back until you have.',
};

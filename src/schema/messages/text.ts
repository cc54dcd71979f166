import type { Wording } from '../diagnostics/diagnostic.ts';

/** What no text of an agent may contain: hidden characters, secrets, and leftovers of merges and of `catalog new`. */

/**
 * `most` is how many such characters the text may have, if this one is allowed where it is. `isEscaped` says whether the
 * file writes it as an escape.
 */
export function hiddenCharacterFound(name: string, most: number | null, isEscaped: boolean): Wording {
  const tooMany =
    most === null ? '' : ` Characters like it are allowed here, but at most ${most} of them in this text.`;
  return {
    message: `This is the hidden character ${name}.${tooMany}`,
    hint: isEscaped
      ? 'Look for an escape, such as \\u202E, &#x202E; or %E2%80%AE, and delete it.'
      : 'Most editors do not show it: delete it together with the characters next to it, then type those again.',
  };
}

/** `kind` is the kind of secret, with an article. */
export function secretFound(kind: string): Wording {
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

export const unwrittenText: Wording = {
  message: 'This looks like a placeholder for text that is still to be written.',
  hint: 'Write the text. If the reader or the assistant fills it in, declare an input in INPUT, or write a <slot> in angle brackets.',
};

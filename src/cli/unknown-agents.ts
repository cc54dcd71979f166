import { OperationError } from '../lib/errors.ts';
import { visible } from '../lib/text.ts';
import { nearest } from '../schema/diagnostics/suggestions.ts';

/** Throws OperationError if `known` lacks one of the slugs that a command names. It suggests the nearest one in `folders`. */
export function refuseUnknownAgents(
  named: readonly string[],
  folders: readonly string[],
  known: ReadonlySet<string | null> = new Set(folders),
): void {
  const unknown = named.filter((slug) => !known.has(slug));
  if (unknown.length === 0) return;
  const messages = unknown.map((slug) => {
    const meant = nearest(slug, folders);
    return `There is no agent ${visible(slug)} in agents/.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
  });
  throw new OperationError(messages.join('\nerror: '));
}

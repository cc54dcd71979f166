import { linesOf } from '../../agent-text/prompt-text.ts';
import type { Finding } from '../../diagnostics/diagnostic.ts';
import { mergeConflict, placeholderOfNew } from '../../diagnostics/messages/text.ts';
import { type Location, locationAt } from '../../diagnostics/source-location.ts';
import { fillerTags } from '../../schema/slugs.ts';
import { leftovers } from './placeholders.ts';

type LeftoverFinding = Pick<Finding, 'code' | 'message' | 'hint'> & { location: Location };

/**
 * Finds the first merge conflict marker in a text, or returns null. A marker is a line that starts with `<<<<<<<`, or
 * with `>>>>>>>` if a line `=======` precedes it.
 *
 * Lines in code fences do not count, so that a prompt about conflicts can show one.
 */
export function conflictFinding(text: string): LeftoverFinding | null {
  if (!/^[<>]{7}(?: |$)/m.test(text)) return null;
  let divided = false;
  for (const { text: line, offset, fenced } of linesOf(text).lines) {
    if (fenced) continue;
    if (line === '=======') divided = true;
    if (/^<{7}(?: |$)/.test(line) || (divided && /^>{7}(?: |$)/.test(line))) {
      return {
        code: 'text/conflict',
        location: locationAt(text, offset, line.length),
        ...mergeConflict,
      };
    }
  }
  return null;
}

/** Finds placeholders of `catalog new` that were not replaced, in order. */
export function placeholderFindings(text: string): LeftoverFinding[] {
  return leftovers
    .map((leftover) => ({ length: leftover.length, offset: text.indexOf(leftover) }))
    .concat([...text.matchAll(fillerTag)].map(({ 0: tag, index }) => ({ length: tag.length, offset: index })))
    .filter(({ offset }) => offset !== -1)
    .sort((a, b) => a.offset - b.offset)
    .map(({ length, offset }) => ({
      code: 'text/placeholder',
      location: locationAt(text, offset, length),
      ...placeholderOfNew,
    }));
}

/** A tag in front matter that only fills the list. */
const fillerTag = new RegExp(
  `(?<![\\w-])(?:${fillerTags.join('|')})(?![\\w-])(?<=^---\\n(?:[^\\n]+\\n)*tags:[^\\n]*(?:\\n[ \\t]*-[^\\n]*)*)`,
  'g',
);

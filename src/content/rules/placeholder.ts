import { locationAt } from '../../schema/diagnostics/location.ts';
import { textMessages } from '../../schema/messages/texts.ts';
import { linesOf } from '../../text/prompt-text.ts';
import type { EditorialRule } from './rule.ts';

/** Marks of text that is still to be written. TODO and the like count only at the start of a line or value; only
 * there does the pattern look back, since that takes time in a line of blanks. */
const unwritten =
  /\blorem ipsum\b|(?=TODO|TBD|FIXME|XXX)(?<=^\s*(?:[-*] +|\d+[.)] +)?(?:[\w-]+: +)?["']?)(?:TODO|TBD|FIXME|XXX)\b(?=\s*(?:[:("']|$))|\[(?:insert|enter|fill in)\b[^\]\n]{0,80}\](?!\()|\$\{[A-Za-z][\w ]*:[^}\-=?+][^}\n]*\}/i;

/**
 * Only drafts contain placeholders, such as `TODO:`, `[insert a name]` or `${Name:default}`,
 * outside code.
 *
 * The samples are data, in which only dummy text is reported. Left to the reviewer: slots in <angle brackets>, which
 * skeletons of answers have.
 */
export const placeholder: EditorialRule = {
  code: 'editorial/placeholder',
  check({ agent, texts }) {
    if (agent.draft === true) return [];
    return [...texts].flatMap(([file, text]) => {
      if (file.startsWith('evals/')) return [];
      const pattern = file === 'agent.md' || file === 'prompt.txt' ? unwritten : /\blorem ipsum\b/i;
      for (const { text: line, offset, fenced } of linesOf(text).lines) {
        const found = fenced ? null : pattern.exec(line.replace(/`[^`]*`/g, (code) => ' '.repeat(code.length)));
        if (found === null) continue;
        return [
          {
            file,
            location: locationAt(text, offset + found.index, found[0].length),
            ...textMessages.unwrittenText,
          },
        ];
      }
      return [];
    });
  },
};

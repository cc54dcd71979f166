import { promptMessages } from '../../schema/messages/prompt.ts';
import { linesOf } from '../../text/prompt-text.ts';
import { atHeading, type EditorialRule, inPrompt } from './rule.ts';

/**
 * At least three rules contain something that can be checked, and the prompt contains no empty praise.
 *
 * A number, a limit, a condition or a literal text can be checked. Left to the reviewer: whether it is a good test.
 */
export const measurable: EditorialRule = {
  code: 'editorial/measurable',
  check(view) {
    if (!view.english) return [];
    const { items } = view.prompt.RULES;
    const tests = items.filter(({ text }) => checkable.test(text)).length;
    const few =
      items.length < 3 || tests >= 3
        ? []
        : [atHeading(view, 'RULES', promptMessages.fewRulesCheckable(items.length, tests))];
    const empty = linesOf(view.agent.prompt)
      .lines.filter(({ fenced }) => !fenced)
      .flatMap(({ text, offset }) =>
        [...blankQuoted(text).matchAll(emptyWords)].map(({ 0: word, index }) =>
          inPrompt(view, offset + index, word.length, promptMessages.emptyPraise(word)),
        ),
      );
    return [...few, ...empty];
  },
};

const checkable =
  /\d|["`]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice|half|third|first|last|every|each|all|only|exactly|none|most|least|fewer|more|longer|same|verbatim|cite|quote|name|if|unless|when|where|until)\b/i;

/** "best" is allowed in phrases such as "at best" and "best before". */
const emptyWords =
  /\b(?:world-class|high(?:est)?[- ]quality|comprehensive|(?<!\b(?:at|second) )best(?![- ](?:before|case|effort)))\b/gi;

/** Replaces quoted text in a line with blanks: a rule that quotes a word does not use it. */
function blankQuoted(text: string): string {
  return text.replace(/"[^"]*"|`[^`]*`|“[^”]*”/g, (quoted) => ' '.repeat(quoted.length));
}

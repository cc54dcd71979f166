import { promptMessages } from '../../schema/messages/prompt.ts';
import { atHeading, type EditorialRule } from './rule.ts';
import { isEmpty } from './sections.ts';

/**
 * A rule says to answer `unknown` for anything that INPUT does not say. This word is the one sign of grounding that all
 * prompts share.
 *
 * Left to the reviewer: whether facts come only from INPUT, and whether quotes are verbatim and have a location.
 */
export const ground: EditorialRule = {
  code: 'editorial/ground',
  check(view) {
    const { RULES } = view.prompt;
    if (!view.english || isEmpty(RULES) || /\bunknowns?\b/i.test(RULES.heading + RULES.body)) return [];
    return [atHeading(view, 'RULES', promptMessages.unknownFactsNotSettled)];
  },
};

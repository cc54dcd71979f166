import { atHeading, type EditorialRule } from './rule.ts';
import { isEmpty } from './sections.ts';

/**
 * A rule names the word `unknown` for what INPUT does not say: the one sign of grounding that every prompt shares.
 *
 * Left to the reviewer: whether facts come from INPUT alone, and quotes are verbatim and have a location.
 */
export const ground: EditorialRule = {
  code: 'editorial/ground',
  check(view) {
    const { RULES } = view.prompt;
    if (!view.english || isEmpty(RULES) || /\bunknowns?\b/i.test(RULES.heading + RULES.body)) return [];
    return [
      atHeading(
        view,
        'RULES',
        'No rule says what to write when INPUT does not contain a fact.',
        'Add one, such as: Take every fact from INPUT; write "unknown" where it is silent, and never guess.',
      ),
    ];
  },
};

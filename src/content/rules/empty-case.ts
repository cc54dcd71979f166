import { promptMessages } from '../../schema/messages/prompt.ts';
import { atHeading, type EditorialRule } from './rule.ts';
import { isEmpty } from './sections.ts';

/**
 * OUTPUT says what to answer if there is nothing to report.
 *
 * The check accepts a word such as "no", "none", "nothing" or "every" outside the slots. Left to the reviewer: whether
 * the sentence really covers this case.
 */
export const emptyCase: EditorialRule = {
  code: 'editorial/empty-case',
  check(view) {
    const { OUTPUT } = view.prompt;
    if (!view.english || isEmpty(OUTPUT) || nothing.test(OUTPUT.body.replace(/<[^<>\n]*>/g, ''))) return [];
    return [atHeading(view, 'OUTPUT', promptMessages.emptyCaseNotSettled)];
  },
};

const nothing =
  /\b(?:no|none|nothing|nobody|not|never|empty|every|all|each|zero|without|missing|fits?)\b|\b(?:is|are|does|do)n't\b/i;

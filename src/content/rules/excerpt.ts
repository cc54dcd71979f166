import type { Wording } from '../../schema/diagnostics/diagnostic.ts';
import { codePoints } from '../../schema/fields.ts';
import { textMessages } from '../../schema/messages/texts.ts';
import { type EditorialRule, inFrontMatter, type Remark } from './rule.ts';

/** First words that are not verbs: articles, pronouns, prepositions, conjunctions. */
const notVerbs =
  /^(?:an?|the|this|that|these|those|it|its|you|your|we|our|i|my|they|their|he|she|with|from|for|if|when|while|because|in|on|at|by|of|and|or|but|as|all|every|each|some)\b/i;

/**
 * The excerpt is one sentence of 60 to 160 characters that ends with a period and does not start with a word that
 * cannot be a verb.
 *
 * Left to the reviewer: whether other first words are verbs, and whether the excerpt says what the reader gets.
 */
export const excerpt: EditorialRule = {
  code: 'editorial/excerpt',
  check(view) {
    const text = view.agent.excerpt;
    const remarks: Remark[] = [];
    const report = (wording: Wording) => remarks.push(inFrontMatter(view, ['excerpt'], wording));
    const length = codePoints(text);
    if (length < 60 || length > 160) report(textMessages.lengthOfExcerpt(length, 60, 160));
    if (!/[^.][.。]$/u.test(text)) report(textMessages.excerptWithoutPeriod);
    if (/\p{L}{4}\.\s+\p{Lu}|[!?]\s+\p{Lu}/u.test(text)) report(textMessages.excerptOfSentences);
    const [first] = (view.english && notVerbs.exec(text)) || [];
    if (first !== undefined) report(textMessages.excerptWithoutVerb(first));
    return remarks;
  },
};

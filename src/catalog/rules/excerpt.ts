import { codePoints } from '../../schema/fields.ts';
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
    const report = (message: string, hint: string) => remarks.push(inFrontMatter(view, ['excerpt'], message, hint));
    const length = codePoints(text);
    if (length < 60 || length > 160) {
      report(
        `\`excerpt\` has ${length} characters; it has to be 60 to 160 characters long.`,
        length < 60
          ? 'Say exactly what the reader gets, and from which input.'
          : 'Keep what the reader gets; cut the rest.',
      );
    }
    if (!/[^.][.。]$/u.test(text)) {
      report('`excerpt` does not end with a period.', 'Make it one whole sentence that ends with a period.');
    }
    if (/\p{L}{4}\.\s+\p{Lu}|[!?]\s+\p{Lu}/u.test(text)) {
      report('`excerpt` is more than one sentence.', 'Keep the sentence that says what the reader gets.');
    }
    const [first] = (view.english && notVerbs.exec(text)) || [];
    if (first !== undefined) {
      report(
        `\`excerpt\` starts with "${first}"; it has to start with a verb.`,
        'Say what the agent does for the reader, such as "Sorts …", "Finds …" or "Drafts …".',
      );
    }
    return remarks;
  },
};

import { codePoints } from '../../schema/fields.ts';
import { textMessages } from '../../schema/messages/texts.ts';
import { type EditorialRule, inFrontMatter, type Remark, wordsOf } from './rule.ts';

const path = ['problem'];

/**
 * The problem has 40 to 400 characters, and repeats neither the title nor the excerpt.
 *
 * Left to the reviewer: whether it names one person, one situation and one pain.
 */
export const oneJob: EditorialRule = {
  code: 'editorial/one-job',
  check(view) {
    const { title, excerpt, problem } = view.agent;
    const length = codePoints(problem.trim());
    const remarks: Remark[] = [];
    if (length < 40 || length > 400) {
      remarks.push(inFrontMatter(view, path, textMessages.lengthOfProblem(length, 40, 400)));
    }
    if (names(problem, title)) remarks.push(inFrontMatter(view, path, textMessages.problemRepeatsTitle));
    if (sharesRun(problem, excerpt)) remarks.push(inFrontMatter(view, path, textMessages.problemRepeatsExcerpt));
    return remarks;
  },
};

/**
 * Whether a text starts with a title, or contains a title of three or more words. Shorter titles can be ordinary
 * phrases.
 */
function names(text: string, title: string): boolean {
  const words = wordsOf(title);
  const [inside, phrase] = [` ${wordsOf(text).join(' ')} `, ` ${words.join(' ')} `];
  return words.length > 0 && (inside.startsWith(phrase) || (words.length >= 3 && inside.includes(phrase)));
}

/** Whether two texts share eight words in a row. */
function sharesRun(text: string, other: string): boolean {
  const inside = ` ${wordsOf(text).join(' ')} `;
  const words = wordsOf(other);
  return words.some((_, at) => at + 8 <= words.length && inside.includes(` ${words.slice(at, at + 8).join(' ')} `));
}

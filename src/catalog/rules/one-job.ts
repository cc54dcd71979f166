import { codePoints } from '../../schema/fields.ts';
import { type AgentView, type EditorialRule, inFrontMatter, type Remark, wordsOf } from './rule.ts';

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
      const hint = length < 40 ? 'Say whose problem it is, and when.' : 'Keep one person, one situation and one pain.';
      const message = `\`problem\` has ${length} characters; it has to be 40 to 400 characters long.`;
      remarks.push(inFrontMatter(view, path, message, hint));
    }
    if (names(problem, title)) {
      remarks.push(
        repeats(view, 'title', 'Say who is stuck, and with what; the page already shows the title above it.'),
      );
    }
    if (sharesRun(problem, excerpt)) {
      remarks.push(
        repeats(view, 'excerpt', 'Say what happens without the agent; the excerpt already says what it gives.'),
      );
    }
    return remarks;
  },
};

function repeats(view: AgentView, field: string, hint: string): Remark {
  return inFrontMatter(view, path, `\`problem\` repeats the ${field}.`, hint);
}

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

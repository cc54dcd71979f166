import { codePoints } from '../../schema/fields.ts';
import { type EditorialRule, inFrontMatter, type Remark } from './rule.ts';

/**
 * The demo has 4 to 8 points between seconds 0 and 90, each later than the one before it, with labels of up to 40
 * characters. There are 3 to 7 steps.
 *
 * Left to the reviewer: whether the demo shows the trap being caught, and whether each step takes less than two
 * minutes.
 */
export const demo: EditorialRule = {
  code: 'editorial/demo',
  check(view) {
    const { demo: points, steps } = view.agent;
    const remarks: Remark[] = [];
    const report = (path: (string | number)[], message: string, hint: string) =>
      remarks.push(inFrontMatter(view, path, message, hint));
    if (steps.length < 3 || steps.length > 7) {
      report(
        ['steps'],
        `There ${steps.length === 1 ? 'is 1 step' : `are ${steps.length} steps`}; it has to be 3 to 7.`,
        'Make each step something that takes less than two minutes.',
      );
    }
    if (points.length < 4 || points.length > 8) {
      report(
        ['demo'],
        `The demo has ${points.length === 1 ? '1 point' : `${points.length} points`}; it has to have 4 to 8.`,
        'Show what is pasted, what is found on the way, the trap that is caught, and the result.',
      );
    }
    for (const [index, { second, label }] of points.entries()) {
      const before = points[index - 1];
      const at = ['demo', index, 'second'];
      if (before === undefined && second !== 0) {
        report(
          at,
          `The demo starts at second ${second}; it has to start at 0.`,
          'Count from the first thing that the reader sees.',
        );
      } else if (before !== undefined && second <= before.second) {
        report(at, 'This point comes in the same second as the one before.', 'Give each point a later second.');
      }
      if (second > 90) {
        report(at, `The demo goes on to second ${second}; it has to end by 90.`, 'Shorten it, or leave a point out.');
      }
      if (codePoints(label) > 40) {
        report(
          ['demo', index, 'label'],
          `This label has ${codePoints(label)} characters; it has to have at most 40.`,
          'Keep the few words that name what happens; the rest belongs in `detail`.',
        );
      }
    }
    return remarks;
  },
};

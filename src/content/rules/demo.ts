import type { Wording } from '../../schema/diagnostics/diagnostic.ts';
import { codePoints } from '../../schema/fields.ts';
import { textMessages } from '../../schema/messages/texts.ts';
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
    const report = (path: (string | number)[], wording: Wording) => remarks.push(inFrontMatter(view, path, wording));
    if (steps.length < 3 || steps.length > 7) report(['steps'], textMessages.numberOfSteps(steps.length, 3, 7));
    if (points.length < 4 || points.length > 8) report(['demo'], textMessages.numberOfPoints(points.length, 4, 8));
    for (const [index, { second, label }] of points.entries()) {
      const before = points[index - 1];
      const at = ['demo', index, 'second'];
      if (before === undefined && second !== 0) report(at, textMessages.demoStartsLate(second));
      else if (before !== undefined && second <= before.second) report(at, textMessages.sameSecond);
      if (second > 90) report(at, textMessages.demoTooLong(second, 90));
      if (codePoints(label) > 40) report(['demo', index, 'label'], textMessages.labelTooLong(codePoints(label), 40));
    }
    return remarks;
  },
};

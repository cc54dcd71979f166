import { compareText } from '../compare.ts';
import { withFields } from '../with-fields.ts';
import type { Schedule } from './parse/front-matter-schedule.ts';

/** The fields of an agent that determine its number. */
export interface Numberable {
  slug: string;
  date: string;
  issue?: number | null | undefined;
}

/**
 * Gives agents without an `issue` the next numbers after `highest`, ordered by date, then slug. The other agents keep
 * their numbers.
 *
 * `highest` is the highest number ever given, including those of agents that are not in the list, or 0. The result is
 * ordered by number. The input is not changed.
 */
export function number<Item extends Numberable>(
  agents: readonly Item[],
  highest: number,
): (Item & { issue: number })[] {
  let next = agents.reduce((most, { issue }) => Math.max(most, issue ?? 0), highest) + 1;
  return [...agents]
    .sort((a, b) => compareText(a.date, b.date) || compareText(a.slug, b.slug))
    .map((agent) => (agent.issue == null ? withFields(agent, { issue: next++ }) : agent) as Item & { issue: number })
    .sort((a, b) => a.issue - b.issue);
}

/** Whether an agent is due on the day `today` and has no number yet. An agent with an unreadable date counts as due. */
export function isDue({ issue, draft, date }: Pick<Schedule, 'issue' | 'draft' | 'date'>, today: string): boolean {
  return issue === null && !draft && (date === null || date <= today);
}

import { compareText } from '../compare.ts';

/** What numbering needs to know of an agent. */
export interface Numberable {
  slug: string;
  date: string;
  issue?: number | null | undefined;
}

/**
 * Gives agents without `issue` the next numbers after `highest`, in order of (date, slug); the others keep theirs.
 *
 * `highest` is the highest number ever given, also to an agent that is not in the list: 0 when there is none. The
 * result is in the order of the numbers. The input is not changed.
 */
export function number<Item extends Numberable>(
  agents: readonly Item[],
  highest: number,
): (Item & { issue: number })[] {
  let next = agents.reduce((most, { issue }) => Math.max(most, issue ?? 0), highest) + 1;
  return [...agents]
    .sort((a, b) => compareText(a.date, b.date) || compareText(a.slug, b.slug))
    .map((agent) => ({ ...agent, issue: agent.issue ?? next++ }))
    .sort((a, b) => a.issue - b.issue);
}

import { compareText } from '../compare.ts';

/** What makes two agents related. */
export interface Relatable {
  slug: string;
  category: string;
  tags: readonly string[];
  title: string;
  excerpt: string;
}

/** How many agents of one tag or category are looked at, at most: those that came out nearest in time. */
const neighboursPerKey = 16;
/** Of how many the texts are compared, at most. */
const finalists = 12;

/**
 * Gives, for the place of an agent in the list, the agents most like it, best first: by the tags they share, rare ones
 * counting more, then by the category and the words of title and excerpt.
 *
 * Only agents with a tag or the category in common are looked at, and a bounded number of those, so that the cost for
 * one agent stays the same however large the catalog is. The same list always gives the same answer.
 */
export function relatedAgents<Agent extends Relatable>(
  agents: readonly Agent[],
  count: number,
): (index: number) => Agent[] {
  const places = new Map<string, number[]>();
  for (const [index, agent] of agents.entries()) {
    for (const key of keysOf(agent)) {
      const members = places.get(key);
      if (members === undefined) places.set(key, [index]);
      else members.push(index);
    }
  }
  const weight = (key: string) => Math.log(1 + agents.length / (places.get(key)?.length ?? 1));
  const words = agents.map(() => undefined as Set<string> | undefined);
  const wordsAt = (index: number) => {
    words[index] ??= wordsOf(agents[index]);
    return words[index];
  };

  return (index) => {
    const agent = agents[index];
    if (agent === undefined) return [];
    const scores = new Map<number, number>();
    for (const key of keysOf(agent)) {
      for (const place of nearest(places.get(key) ?? [], index)) {
        scores.set(place, (scores.get(place) ?? 0) + weight(key));
      }
    }
    const own = wordsAt(index);
    return rank(scores, agents)
      .slice(0, finalists)
      .map(([place, score]) => [place, score + overlap(own, wordsAt(place))] as const)
      .sort(([a, first], [b, second]) => second - first || compareText(slugAt(agents, a), slugAt(agents, b)))
      .slice(0, count)
      .flatMap(([place]) => agents[place] ?? []);
  };
}

function keysOf({ category, tags }: Relatable): string[] {
  return [...tags.map((tag) => `tag ${tag}`), `category ${category}`];
}

/** The members next to a place in a rising list, without the place itself. */
function nearest(members: readonly number[], index: number): number[] {
  const middle = members.findIndex((member) => member >= index);
  const from = Math.max(0, (middle === -1 ? members.length : middle) - neighboursPerKey / 2);
  return members.slice(from, from + neighboursPerKey + 1).filter((member) => member !== index);
}

function rank(scores: ReadonlyMap<number, number>, agents: readonly Relatable[]): [number, number][] {
  return [...scores].sort(
    ([a, first], [b, second]) => second - first || compareText(slugAt(agents, a), slugAt(agents, b)),
  );
}

function slugAt(agents: readonly Relatable[], index: number): string {
  return agents[index]?.slug ?? '';
}

function wordsOf(agent: Relatable | undefined): Set<string> {
  return new Set(`${agent?.title} ${agent?.excerpt}`.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []);
}

/** How much of the words two texts share, 0 to 1. */
function overlap(first: ReadonlySet<string>, second: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of first) if (second.has(word)) shared += 1;
  return shared / Math.max(1, Math.min(first.size, second.size));
}

import { groupBy } from '../../lib/groups.ts';
import type { PublishedAgent, Site } from '../site.ts';

/** The agents of a category or with a tag, newest first. */
export interface Group {
  /** The part of its address. */
  key: string;
  /** The name for readers. */
  label: string;
  description: string;
  agents: PublishedAgent[];
}

/** The categories that have agents, in the order of the settings. */
export function categoriesOf({ settings, agents }: Site): Group[] {
  const byKey = groupBy(agents, ({ category }) => [category]);
  return Object.entries(settings.categories).flatMap(([key, { label, description }]) => {
    const members = byKey.get(key);
    return members === undefined ? [] : [{ key, label, description, agents: members }];
  });
}

/** A group as templates list it. */
export function counted({ key, label, description, agents }: Group) {
  return { key, label, description, count: agents.length };
}

/** The fields that make two agents related. */
type Relatable = Pick<PublishedAgent, 'category' | 'tags' | 'title' | 'excerpt' | 'problem'>;

/** The most agents of a tag or category to consider on each side: those published nearest in time. */
const neighbors = 8;
/** The most agents whose texts are compared. */
const finalists = 12;

/**
 * Returns a function that gives the agents most like the one at an index of the list, best first: by shared tags,
 * category and words. Rare tags and words count more.
 *
 * It considers a limited number of agents that share a tag or the category, and of those next in time. The cost for one
 * agent is therefore the same in a catalog of any size. The same list always gives the same result.
 */
export function relatedAgents<Agent extends Relatable>(
  agents: readonly Agent[],
  count: number,
): (index: number) => Agent[] {
  const everyone = agents.map((_, index) => index);
  const keys = groupBy(everyone, (index) => keysOf(agents[index] as Agent));
  const wordsByAgent = agents.map(wordsOf);
  const words = groupBy(everyone, (index) => wordsByAgent[index] ?? []);
  const numbers = new Map([...words.keys()].map((word, number) => [word, number]));
  const rarities = [...words.values()].map(rarity);
  const texts = wordsByAgent.map((own) => Uint32Array.from(own, (word) => numbers.get(word) ?? 0).sort());

  /** 0 for a word or tag that every agent has. */
  function rarity(indexes: readonly number[]): number {
    return Math.log(agents.length / indexes.length);
  }

  /** How much of one agent's text another one has too, from 0 to 1. */
  function overlap(one: number, another: number): number {
    const [own, other] = [texts[one] ?? [], texts[another] ?? []];
    let [shared, all, at] = [0, 0, 0];
    for (const number of own) {
      const weight = rarities[number] ?? 0;
      all += weight;
      while ((other[at] ?? Number.POSITIVE_INFINITY) < number) at += 1;
      if (other[at] === number) shared += weight;
    }
    return all === 0 ? 0 : shared / all;
  }

  return (index) => {
    const agent = agents[index];
    if (agent === undefined) return [];
    const scores = new Map(around(everyone, index).map((other) => [other, 0]));
    for (const key of keysOf(agent)) {
      const sharing = keys.get(key) ?? [];
      const weight = rarity(sharing);
      for (const other of around(sharing, index)) scores.set(other, (scores.get(other) ?? 0) + weight);
    }
    const scoreOf = (other: number) => scores.get(other) ?? 0;
    // The highest first, and equal scores in the order of the list.
    const better = (a: number, b: number) => scoreOf(b) - scoreOf(a) || a - b;
    const compared = [...scores.keys()].sort(better).slice(0, finalists);
    for (const other of compared) scores.set(other, scoreOf(other) + overlap(index, other));
    return compared
      .sort(better)
      .filter((other) => scoreOf(other) > 0)
      .slice(0, count)
      .flatMap((other) => agents[other] ?? []);
  };
}

/** The nearest of ascending indexes on both sides of one, without itself. */
function around(indexes: readonly number[], index: number): number[] {
  let [low, high] = [0, indexes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((indexes[middle] ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  return indexes.slice(Math.max(0, low - neighbors), low + neighbors + 1).filter((other) => other !== index);
}

function keysOf({ category, tags }: Relatable): string[] {
  return [...tags.map((tag) => `tag ${tag}`), `category ${category}`];
}

function wordsOf({ title, excerpt, problem }: Relatable): string[] {
  return [...new Set(`${title} ${excerpt} ${problem}`.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu))];
}

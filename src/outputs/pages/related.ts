/** What makes two agents related. */
export interface Relatable {
  category: string;
  tags: readonly string[];
  title: string;
  excerpt: string;
  problem: string;
}

/** How many agents of one tag or category are looked at, at most, on each side: those that came out nearest in time. */
const neighbours = 8;
/** Of how many the texts are compared, at most. */
const finalists = 12;

/**
 * Gives, for the place of an agent in the list, the agents most like it, best first: by the tags they share, by the
 * category, and by the words of their texts, rare tags and words counting more.
 *
 * Looked at are agents with a tag or the category in common and those next in time, a bounded number of each, so that
 * the cost for one agent stays the same however large the catalog is. The same list always gives the same answer.
 */
export function relatedAgents<Agent extends Relatable>(
  agents: readonly Agent[],
  count: number,
): (index: number) => Agent[] {
  const everyone = agents.map((_, place) => place);
  const keys = placesBy(agents, keysOf);
  const words = placesBy(agents, wordsOf);
  const numbers = new Map([...words.keys()].map((word, number) => [word, number]));
  const rarities = [...words.values()].map(rarity);
  const texts = agents.map((agent) => Uint32Array.from(wordsOf(agent), (word) => numbers.get(word) ?? 0).sort());

  /** From 0 for what every agent has. */
  function rarity(places: readonly number[]): number {
    return Math.log(agents.length / places.length);
  }

  /** How much of what an agent says another says too, 0 to 1. */
  function overlap(index: number, place: number): number {
    const [own, other] = [texts[index] ?? [], texts[place] ?? []];
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
    const scores = new Map(around(everyone, index).map((place) => [place, 0]));
    for (const key of keysOf(agent)) {
      const places = keys.get(key) ?? [];
      for (const place of around(places, index)) scores.set(place, (scores.get(place) ?? 0) + rarity(places));
    }
    const compared = ranked(scores)
      .slice(0, finalists)
      .map(([place, score]): [number, number] => [place, score + overlap(index, place)]);
    return ranked(compared)
      .filter(([, score]) => score > 0)
      .slice(0, count)
      .flatMap(([place]) => agents[place] ?? []);
  };
}

/** The places of the agents that have each key, rising. */
function placesBy<Agent>(agents: readonly Agent[], keysOf: (agent: Agent) => readonly string[]): Map<string, number[]> {
  const index = new Map<string, number[]>();
  for (const [place, agent] of agents.entries()) {
    for (const key of keysOf(agent)) {
      const places = index.get(key);
      if (places === undefined) index.set(key, [place]);
      else places.push(place);
    }
  }
  return index;
}

/** Places with their scores, the highest first; of equal ones the one that comes first in the list. */
function ranked(scores: Iterable<[number, number]>): [number, number][] {
  return [...scores].sort(([a, first], [b, second]) => second - first || a - b);
}

/** The nearest of rising places to one, on both sides of it, without itself. */
function around(places: readonly number[], index: number): number[] {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  return places.slice(Math.max(0, low - neighbours), low + neighbours + 1).filter((place) => place !== index);
}

function keysOf({ category, tags }: Relatable): string[] {
  return [...tags.map((tag) => `tag ${tag}`), `category ${category}`];
}

function wordsOf({ title, excerpt, problem }: Relatable): string[] {
  return [...new Set(`${title} ${excerpt} ${problem}`.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu))];
}

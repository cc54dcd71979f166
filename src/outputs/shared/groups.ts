import { compareText } from '../../compare.ts';
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

/** The tags that agents have, by name. */
export function tagsOf({ agents }: Site): Group[] {
  return [...groupBy(agents, ({ tags }) => tags)]
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, members]) => ({ key, label: key, description: tagDescription(key, members), agents: members }));
}

/** Tags have no description, so this names the newest agents. */
function tagDescription(key: string, agents: readonly PublishedAgent[]): string {
  const titles = agents.slice(0, 3).map(({ title }) => title);
  return `Agents tagged “${key}”${agents.length > titles.length ? ', such as' : ':'} ${titles.join(', ')}.`;
}

/** The most tags that a page offers. */
const mostTags = 60;

/** The most used tags, by name. The pages of agents and the search lead to the others. */
export function commonTags(site: Site): Group[] {
  return tagsOf(site)
    .sort((a, b) => b.agents.length - a.agents.length)
    .slice(0, mostTags)
    .sort((a, b) => compareText(a.key, b.key));
}

/** The months in which agents were published, newest first; the key is YYYY-MM. */
export function monthsOf({ agents }: Site): { key: string; agents: PublishedAgent[] }[] {
  return [...groupBy(agents, ({ date }) => [date.slice(0, 7)])].map(([key, members]) => ({ key, agents: members }));
}

/** Groups items by keys, of which each item has any number. Groups and items keep their order. */
export function groupBy<Item>(items: readonly Item[], keysOf: (item: Item) => readonly string[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    for (const key of keysOf(item)) {
      const members = groups.get(key);
      if (members === undefined) groups.set(key, [item]);
      else members.push(item);
    }
  }
  return groups;
}

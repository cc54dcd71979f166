import { compareText } from '../../compare.ts';
import type { PublishedAgent, Site } from '../site.ts';

/** Agents that have something in common, newest first. */
export interface Group {
  /** What stands in addresses. */
  key: string;
  /** What readers see. */
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

/** The tags that agents have, by name. */
export function tagsOf({ agents }: Site): Group[] {
  return [...groupBy(agents, ({ tags }) => tags)]
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, members]) => ({ key, label: key, description: tagDescription(key, members), agents: members }));
}

/** Tags have no description of their own, so the newest agents speak for them. */
function tagDescription(key: string, agents: readonly PublishedAgent[]): string {
  const titles = agents.slice(0, 3).map(({ title }) => title);
  return `Agents tagged “${key}”${agents.length > titles.length ? ', such as' : ':'} ${titles.join(', ')}.`;
}

/** How many tags are offered where all of them might be too many. */
const mostTags = 60;

/** The tags that most agents have, by name. The others are found by searching, and on the pages of their agents. */
export function commonTags(site: Site): Group[] {
  return tagsOf(site)
    .sort((a, b) => b.agents.length - a.agents.length)
    .slice(0, mostTags)
    .sort((a, b) => compareText(a.key, b.key));
}

/** The months in which agents came out, newest first; the key is YYYY-MM. */
export function monthsOf({ agents }: Site): { key: string; agents: PublishedAgent[] }[] {
  return [...groupBy(agents, ({ date }) => [date.slice(0, 7)])].map(([key, members]) => ({ key, agents: members }));
}

function groupBy(
  agents: readonly PublishedAgent[],
  keysOf: (agent: PublishedAgent) => string[],
): Map<string, PublishedAgent[]> {
  const groups = new Map<string, PublishedAgent[]>();
  for (const agent of agents) {
    for (const key of keysOf(agent)) {
      const members = groups.get(key);
      if (members === undefined) groups.set(key, [agent]);
      else members.push(agent);
    }
  }
  return groups;
}

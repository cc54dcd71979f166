import { categoriesOf, commonTags } from '../shared/groups.ts';
import type { PublishedAgent, Site } from '../site.ts';

/** A filter of the search form. */
export interface FilterChoice {
  /** The name in the form and in the address bar. */
  name: 'category' | 'difficulty' | 'runtime' | 'tag';
  label: string;
  /** The option that filters nothing. */
  all: string;
  options: { value: string; label: string }[];
}

/** The filters of the search, without options that find no agent. */
export function filterChoices(site: Site, categories = categoriesOf(site)): FilterChoice[] {
  const { settings, agents } = site;
  return [
    {
      name: 'category',
      label: 'Category',
      all: 'All categories',
      options: categories.map(({ key, label }) => ({ value: key, label })),
    },
    {
      name: 'difficulty',
      label: 'Difficulty',
      all: 'Any difficulty',
      options: named(used(settings.difficulties, agents, ({ difficulty }) => [difficulty])),
    },
    {
      name: 'runtime',
      label: 'Made for',
      all: 'Any assistant',
      options: named(used(settings.runtimes, agents, ({ runtimes }) => runtimes)),
    },
    { name: 'tag', label: 'Tag', all: 'Any tag', options: named(commonTags(site).map(({ key }) => key)) },
  ];
}

/** The names that at least one agent has. It stops as soon as all are found. */
function used(
  names: readonly string[],
  agents: Site['agents'],
  namesOf: (agent: PublishedAgent) => readonly string[],
): string[] {
  const missing = new Set(names);
  for (const agent of agents) {
    if (missing.size === 0) break;
    for (const name of namesOf(agent)) missing.delete(name);
  }
  return names.filter((name) => !missing.has(name));
}

function named(values: readonly string[]): { value: string; label: string }[] {
  return values.map((value) => ({ value, label: value }));
}

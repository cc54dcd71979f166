import { categoriesOf, commonTags } from '../shared/groups.ts';
import type { Site } from '../site.ts';

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
export function filterChoices(site: Site): FilterChoice[] {
  const { settings, agents } = site;
  const difficulties = new Set(agents.map(({ difficulty }) => difficulty));
  const runtimes = new Set(agents.flatMap((agent) => agent.runtimes));
  return [
    {
      name: 'category',
      label: 'Category',
      all: 'All categories',
      options: categoriesOf(site).map(({ key, label }) => ({ value: key, label })),
    },
    {
      name: 'difficulty',
      label: 'Difficulty',
      all: 'Any difficulty',
      options: named(settings.difficulties.filter((name) => difficulties.has(name))),
    },
    {
      name: 'runtime',
      label: 'Made for',
      all: 'Any assistant',
      options: named(settings.runtimes.filter((name) => runtimes.has(name))),
    },
    { name: 'tag', label: 'Tag', all: 'Any tag', options: named(commonTags(site).map(({ key }) => key)) },
  ];
}

function named(values: readonly string[]): { value: string; label: string }[] {
  return values.map((value) => ({ value, label: value }));
}

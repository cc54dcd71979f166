import { groupBy } from '../../lib/groups.ts';
import { compareText } from '../../lib/text.ts';
import { listed, type Output, type RenderedFile, upcoming } from '../output.ts';
import { documentsOf } from '../shared/agent-document.ts';
import { categoriesOf, counted, type Group } from '../shared/groups.ts';
import { breadcrumbNode, listNode, renderPage } from '../shared/page.ts';
import type { PublishedAgent, Site } from '../site.ts';

/** The largest catalog whose archive is one page. A larger archive is divided by year and month. */
const wholeArchive = 200;

/** The archive in the breadcrumbs of the lists. */
const archiveEntry = { name: 'Archive', path: 'archive' };

const archive: Output = {
  path: 'archive.html',
  also: 'archive/index.html',
  purpose: 'Every agent by month; in a large catalog, the newest month and links to the others',
  *files(site) {
    const copy = isDivided(site) ? { copy: 'archive/index.html' } : {};
    yield {
      path: 'archive.html',
      ...copy,
      inputs: [...listed(site.agents), ...upcoming(site)],
      render: () => archivePage(site),
    };
  },
};

const archiveYears: Output = {
  path: 'archive/{year}.html',
  also: 'archive/{year}/index.html',
  purpose: 'The months of one year, in a large catalog',
  *files(site) {
    for (const { year, months } of yearsOf(site)) {
      const path = `archive/${year}`;
      yield {
        path: `${path}.html`,
        copy: `${path}/index.html`,
        inputs: months.flatMap(({ agents }) => listed(agents)),
        render: () => yearPage(site, year, months),
      };
    }
  },
};

const archiveMonths: Output = {
  path: 'archive/{year}/{month}.html',
  purpose: 'The agents of one month, in a large catalog',
  *files(site) {
    const months = yearsOf(site).flatMap((year) => year.months);
    for (const [index, month] of months.entries()) {
      const [newer, older] = [months[index - 1], months[index + 1]];
      yield {
        path: `${month.path}.html`,
        inputs: [newer, month, older].flatMap((shown) => ['month', ...listed(shown?.agents ?? [])]),
        render: () => monthPage(site, month, newer, older),
      };
    }
  },
};

/** The months (YYYY-MM) in which agents were published, newest first, with the paths of their pages, below the base URL. */
function monthsOf({ agents }: Site) {
  return [...groupBy(agents, ({ date }) => [date.slice(0, 7)])].map(([month, agents]) => {
    return { month, path: `archive/${month.replace('-', '/')}`, agents };
  });
}

type Month = ReturnType<typeof monthsOf>[number];

function isDivided({ agents }: Site): boolean {
  return agents.length > wholeArchive;
}

/** The years of a divided archive with their months, newest first; empty if the archive is one page. */
function yearsOf(site: Site) {
  const years = groupBy(isDivided(site) ? monthsOf(site) : [], ({ month }) => [month.slice(0, 4)]);
  return [...years].map(([year, months]) => ({ year, months }));
}

/** The months whose agents the archive lists: all of them, or only the newest if it is divided. */
function monthsShown(site: Site): Month[] {
  return monthsOf(site).slice(0, isDivided(site) ? 1 : undefined);
}

function archivePage(site: Site): string {
  const months = monthsShown(site);
  const shown = months.flatMap(({ agents }) => agents);
  return renderPage(
    site,
    {
      template: 'archive',
      title: 'Archive',
      description: `Every agent of ${site.settings.title}.`,
      path: 'archive',
      section: 'archive',
      ownSearch: true,
      saysNext: true,
      graph: [breadcrumbNode(site, [archiveEntry]), listNode(site, 'archive', shown, { total: site.agents.length })],
    },
    {
      count: site.agents.length,
      months: months.map(({ month, agents }) => ({ month, agents: documentsOf(site, agents) })),
      years: yearsOf(site).map(({ year, months }) => ({ year, months: months.map(countedMonth) })),
      categories: categoriesOf(site).map(counted),
      tags: commonTags(site).map(counted),
      choices: filterChoices(site),
    },
  );
}

function yearPage(site: Site, year: string, months: readonly Month[]): string {
  const path = `archive/${year}`;
  const shown = months.flatMap(({ agents }) => agents);
  return renderPage(
    site,
    {
      template: 'archive-year',
      title: year,
      description: `The agents of ${year}, by month.`,
      path,
      section: 'archive',
      graph: [breadcrumbNode(site, [archiveEntry, { name: year, path }]), listNode(site, path, shown)],
    },
    { year, months: months.map((month) => ({ ...countedMonth(month), agents: documentsOf(site, month.agents) })) },
  );
}

function monthPage(site: Site, { month, path, agents }: Month, newer?: Month, older?: Month): string {
  const year = month.slice(0, 4);
  const name = site.dates.monthName(month);
  return renderPage(
    site,
    {
      template: 'archive-month',
      title: name,
      description: `The agents of ${name}.`,
      path,
      section: 'archive',
      graph: [
        breadcrumbNode(site, [archiveEntry, { name: year, path: `archive/${year}` }, { name, path }]),
        listNode(site, path, agents),
      ],
    },
    {
      year,
      month,
      agents: documentsOf(site, agents),
      newer: newer === undefined ? null : countedMonth(newer),
      older: older === undefined ? null : countedMonth(older),
    },
  );
}

function countedMonth({ month, path, agents }: Month) {
  return { month, path, count: agents.length };
}

/** The tags that agents have, by name. */
function tagsOf({ agents }: Site): Group[] {
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

/** How many agents of a category or tag are on a page. The list continues at `<key>/2`. */
const pageLength = 100;

/** The first page of each category or tag, and the pages that continue their lists. */
function groupOutputs(
  pattern: 'categories/{category}' | 'tags/{tag}',
  purposes: [first: string, further: string],
  pagesOf: (site: Site) => Pages[],
): Output[] {
  const first: Output = {
    path: `${pattern}.html`,
    also: `${pattern}/index.html`,
    purpose: purposes[0],
    *files(site) {
      for (const group of pagesOf(site)) {
        const copy = group.pages.length > 1 ? { copy: `${group.path}/index.html` } : {};
        yield { ...pageFile(site, group, 0), ...copy };
      }
    },
  };
  const further: Output = {
    path: `${pattern}/{page}.html`,
    purpose: purposes[1],
    *files(site) {
      for (const group of pagesOf(site)) {
        for (let index = 1; index < group.pages.length; index += 1) yield pageFile(site, group, index);
      }
    },
  };
  return [first, further];
}

/** A category or tag, divided into pages. */
type Pages = ReturnType<typeof categoryPages> | ReturnType<typeof tagPages>;

/** `category` is the one whose color the pages have, and `path` the path of the first page, below the base URL. */
function categoryPages({ url }: Site, group: Group) {
  const href = url.absolute(`feeds/${group.key}.xml`);
  const feed = { type: 'application/atom+xml', href, title: `${group.label} (Atom)` };
  const path = `categories/${group.key}`;
  return { ...group, kind: 'Category', category: group.key, path, feed, pages: divide(group.agents) } as const;
}

function tagPages(group: Group) {
  const path = `tags/${group.key}`;
  return { ...group, kind: 'Tag', category: undefined, path, feed: null, pages: divide(group.agents) } as const;
}

function divide(agents: readonly PublishedAgent[]): PublishedAgent[][] {
  return Array.from({ length: Math.ceil(agents.length / pageLength) }, (_, index) =>
    agents.slice(index * pageLength, (index + 1) * pageLength),
  );
}

/** The path of a page of a list, counted from 0. */
function addressOf(path: string, index: number): string {
  return index === 0 ? path : `${path}/${index + 1}`;
}

function pageFile(site: Site, group: Pages, index: number): RenderedFile {
  const path = `${addressOf(group.path, index)}.html`;
  return { path, inputs: listed(group.agents), render: () => groupPage(site, group, index) };
}

function groupPage(site: Site, group: Pages, index: number): string {
  const { kind, category, label, description, agents, feed, path, pages } = group;
  const address = addressOf(path, index);
  const shown = pages[index] ?? [];
  const name = index === 0 ? label : `${label}, page ${index + 1}`;
  return renderPage(
    site,
    {
      template: 'group',
      title: `${kind}: ${name}`,
      description: index === 0 ? description : `${description} ${agentsOn(group, index)}`,
      path: address,
      section: 'archive',
      ...(category === undefined ? {} : { category }),
      alternates: feed === null ? [] : [feed],
      graph: [
        breadcrumbNode(site, [archiveEntry, { name, path: address }]),
        listNode(site, address, shown, { total: agents.length, before: index * pageLength }),
      ],
    },
    {
      kind,
      label,
      description: kind === 'Tag' ? null : description,
      feed,
      count: agents.length,
      agents: documentsOf(site, shown),
      single: agents.length === 1,
      page: { number: index + 1, of: pages.length, several: pages.length > 1 },
      newerNumber: index,
      olderNumber: index + 2,
      newer: index === 0 ? null : addressOf(path, index - 1),
      older: index + 1 < pages.length ? addressOf(path, index + 1) : null,
    },
  );
}

/** Describes a further page of a list, so that no two pages have the same description. */
function agentsOn({ pages }: Pages, index: number): string {
  const shown = pages[index] ?? [];
  return `Page ${index + 1} of ${pages.length}: agents from ${shown.at(-1)?.date} to ${shown[0]?.date}.`;
}

/**
 * The filters of the search, without options that find no agent. `name` is the name in the form and in the address bar, and
 * `all` the option that filters nothing.
 */
function filterChoices(site: Site) {
  const { settings, agents } = site;
  const named = (values: readonly string[]) => values.map((value) => ({ value, label: value }));
  const difficulties = new Set(agents.map(({ difficulty }) => difficulty));
  const runtimes = new Set(agents.flatMap((agent) => agent.runtimes));
  const options = {
    category: categoriesOf(site).map(({ key, label }) => ({ value: key, label })),
    difficulty: named(settings.difficulties.filter((name) => difficulties.has(name))),
    runtime: named(settings.runtimes.filter((name) => runtimes.has(name))),
    tag: named(commonTags(site).map(({ key }) => key)),
  };
  return [
    { name: 'category', label: 'Category', all: 'All categories', options: options.category },
    { name: 'difficulty', label: 'Difficulty', all: 'Any difficulty', options: options.difficulty },
    { name: 'runtime', label: 'Made for', all: 'Any assistant', options: options.runtime },
    { name: 'tag', label: 'Tag', all: 'Any tag', options: options.tag },
  ];
}

/** The paths of the pages of all lists, below the base URL, each with the agents that it shows. */
export function* listAddresses(site: Site): Iterable<{ path: string; agents: readonly PublishedAgent[] }> {
  yield { path: 'archive', agents: monthsShown(site).flatMap(({ agents }) => agents) };
  for (const { year, months } of yearsOf(site)) {
    yield { path: `archive/${year}`, agents: months.flatMap(({ agents }) => agents) };
    yield* months;
  }
  const groups = [...categoriesOf(site).map((group) => categoryPages(site, group)), ...tagsOf(site).map(tagPages)];
  for (const { path, pages } of groups) {
    for (const [index, agents] of pages.entries()) yield { path: addressOf(path, index), agents };
  }
}

export const listPages: readonly Output[] = [
  ...groupOutputs(
    'categories/{category}',
    ['The newest agents of one category', 'Earlier agents of a category, if it has more than one page'],
    (site) => categoriesOf(site).map((group) => categoryPages(site, group)),
  ),
  ...groupOutputs(
    'tags/{tag}',
    ['The newest agents with one tag', 'Earlier agents with a tag, if it has more than one page'],
    (site) => tagsOf(site).map(tagPages),
  ),
  archiveMonths,
  archiveYears,
  archive,
];

import type { AgentDocument } from '../../schema/documents.ts';
import { html, type Output } from '../output.ts';
import { dateNames } from '../shared/dates.ts';
import { categoriesOf, commonTags, type Group, monthsOf, tagsOf } from '../shared/groups.ts';
import { renderPage } from '../shared/page.ts';
import { breadcrumbNode, listNode } from '../shared/structured-data.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { filterChoices } from './filter-choices.ts';

/**
 * The lists of agents. None grows with the catalog: past what fits on a page, a category or tag goes on at `<key>/2`,
 * and the archive is divided by year and month.
 */

/** The largest catalog whose archive is one page. */
const wholeArchive = 200;
/** How many agents of a category or tag stand on a page. */
const pageLength = 100;

const archiveEntry = { name: 'Archive', path: 'archive' };

export const archive: Output = {
  path: 'archive.html',
  also: 'archive/index.html',
  type: html,
  purpose: 'Every agent by month; in a large catalog, the newest month and links to the others',
  *files(site) {
    let page: string | undefined;
    const render = () => {
      page ??= archivePage(site);
      return page;
    };
    yield { path: 'archive.html', render };
    if (isDivided(site)) yield { path: 'archive/index.html', render };
  },
};

export const archiveYears: Output = {
  path: 'archive/{year}.html',
  also: 'archive/{year}/index.html',
  type: html,
  purpose: 'The months of one year, in a large catalog',
  *files(site) {
    for (const { year, months } of yearsOf(site)) {
      let page: string | undefined;
      const render = () => {
        page ??= yearPage(site, year, months);
        return page;
      };
      yield { path: `archive/${year}.html`, render };
      yield { path: `archive/${year}/index.html`, render };
    }
  },
};

export const archiveMonths: Output = {
  path: 'archive/{year}/{month}.html',
  type: html,
  purpose: 'The agents of one month, in a large catalog',
  *files(site) {
    const months = yearsOf(site).flatMap((year) => year.months);
    for (const [index, month] of months.entries()) {
      const render = () => monthPage(site, month, { newer: months[index - 1], older: months[index + 1] });
      yield { path: `${month.path}.html`, render };
    }
  },
};

export const categories: Output = {
  path: 'categories/{category}.html',
  also: 'categories/{category}/index.html',
  type: html,
  purpose: 'The newest agents of one category',
  *files(site) {
    for (const group of categoriesOf(site)) yield* firstPage(site, categoryPages(site, group));
  },
};

export const categoriesFurther: Output = {
  path: 'categories/{category}/{page}.html',
  type: html,
  purpose: 'Earlier agents of a category, if it has more than one page',
  *files(site) {
    for (const group of categoriesOf(site)) yield* furtherPages(site, categoryPages(site, group));
  },
};

export const tags: Output = {
  path: 'tags/{tag}.html',
  also: 'tags/{tag}/index.html',
  type: html,
  purpose: 'The newest agents with one tag',
  *files(site) {
    for (const group of tagsOf(site)) yield* firstPage(site, tagPages(group));
  },
};

export const tagsFurther: Output = {
  path: 'tags/{tag}/{page}.html',
  type: html,
  purpose: 'Earlier agents with a tag, if it has more than one page',
  *files(site) {
    for (const group of tagsOf(site)) yield* furtherPages(site, tagPages(group));
  },
};

/** The addresses of all lists, below the base URL, each with the agents that it shows. */
export function* listAddresses(site: Site): Iterable<{ path: string; agents: readonly PublishedAgent[] }> {
  yield { path: 'archive', agents: archiveMonthsShown(site).flatMap(({ agents }) => agents) };
  for (const { year, months } of yearsOf(site)) {
    yield { path: `archive/${year}`, agents: months.flatMap(({ agents }) => agents) };
    yield* months;
  }
  const groups = [...categoriesOf(site).map((group) => categoryPages(site, group)), ...tagsOf(site).map(tagPages)];
  for (const { path, pages } of groups) {
    for (const [index, agents] of pages.entries()) yield { path: addressOf(path, index), agents };
  }
}

interface Month {
  /** YYYY-MM. */
  month: string;
  /** Of its page, below the base URL. */
  path: string;
  agents: readonly PublishedAgent[];
}

function isDivided({ agents }: Site): boolean {
  return agents.length > wholeArchive;
}

/** The years of a divided archive with their months, newest first; none where the archive is one page. */
function yearsOf(site: Site): { year: string; months: Month[] }[] {
  const years = new Map<string, Month[]>();
  if (!isDivided(site)) return [];
  for (const { key, agents } of monthsOf(site)) {
    const [year = '', month = ''] = key.split('-');
    const entry = { month: key, path: `archive/${year}/${month}`, agents };
    years.set(year, [...(years.get(year) ?? []), entry]);
  }
  return [...years].map(([year, months]) => ({ year, months }));
}

/** The months whose agents the archive lists: all, or the newest where it is divided. */
function archiveMonthsShown(site: Site): { key: string; agents: PublishedAgent[] }[] {
  return monthsOf(site).slice(0, isDivided(site) ? 1 : undefined);
}

function archivePage(site: Site): string {
  const months = archiveMonthsShown(site);
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
      graph: [breadcrumbNode(site, [archiveEntry]), listNode(site, 'archive', shown, { total: site.agents.length })],
    },
    {
      count: site.agents.length,
      months: months.map(({ key, agents }) => ({ month: key, agents: documentsOf(agents) })),
      years: yearsOf(site).map(({ year, months }) => ({ year, months: months.map(countedMonth) })),
      categories: categoriesOf(site).map(counted),
      tags: commonTags(site).map(counted),
      choices: filterChoices(site),
    },
  );
}

function yearPage(site: Site, year: string, months: readonly Month[]): string {
  const path = `archive/${year}`;
  return renderPage(
    site,
    {
      template: 'archive-year',
      title: year,
      description: `The agents of ${year}, by month.`,
      path,
      section: 'archive',
      graph: [
        breadcrumbNode(site, [archiveEntry, { name: year, path }]),
        listNode(
          site,
          path,
          months.flatMap(({ agents }) => agents),
        ),
      ],
    },
    { year, months: months.map((month) => ({ ...countedMonth(month), agents: documentsOf(month.agents) })) },
  );
}

function monthPage(
  site: Site,
  { month, path, agents }: Month,
  { newer, older }: { newer: Month | undefined; older: Month | undefined },
): string {
  const year = month.slice(0, 4);
  const name = dateNames(site.settings.language).monthName(month);
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
      agents: documentsOf(agents),
      newer: newer === undefined ? null : countedMonth(newer),
      older: older === undefined ? null : countedMonth(older),
    },
  );
}

/** A category or tag, divided into pages. */
interface Pages extends Group {
  kind: 'Category' | 'Tag';
  /** The category whose colour the pages have. */
  category?: string;
  /** Of the first page, below the base URL. */
  path: string;
  /** The feed of the group, where it has one. */
  feed: { type: string; href: string; title: string } | null;
  pages: PublishedAgent[][];
}

function categoryPages({ url }: Site, group: Group): Pages {
  const feed = {
    type: 'application/atom+xml',
    href: url.absolute(`feeds/${group.key}.xml`),
    title: `${group.label} (Atom)`,
  };
  const path = `categories/${group.key}`;
  return { ...group, kind: 'Category', category: group.key, path, feed, pages: divide(group.agents) };
}

function tagPages(group: Group): Pages {
  return { ...group, kind: 'Tag', path: `tags/${group.key}`, feed: null, pages: divide(group.agents) };
}

function divide(agents: readonly PublishedAgent[]): PublishedAgent[][] {
  return Array.from({ length: Math.ceil(agents.length / pageLength) }, (_, index) =>
    agents.slice(index * pageLength, (index + 1) * pageLength),
  );
}

/** The address of a page of a list, from 0. */
function addressOf(path: string, index: number): string {
  return index === 0 ? path : `${path}/${index + 1}`;
}

function* firstPage(site: Site, group: Pages) {
  let page: string | undefined;
  const render = () => {
    page ??= groupPage(site, group, 0);
    return page;
  };
  yield { path: `${group.path}.html`, render };
  if (group.pages.length > 1) yield { path: `${group.path}/index.html`, render };
}

function* furtherPages(site: Site, group: Pages) {
  for (let index = 1; index < group.pages.length; index += 1) {
    yield { path: `${addressOf(group.path, index)}.html`, render: () => groupPage(site, group, index) };
  }
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
      description: index === 0 ? description : `${description} ${earlierOf(group, index)}`,
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
      agents: documentsOf(shown),
      single: agents.length === 1,
      page: { number: index + 1, of: pages.length, several: pages.length > 1 },
      newerNumber: index,
      olderNumber: index + 2,
      newer: index === 0 ? null : addressOf(path, index - 1),
      older: index + 1 < pages.length ? addressOf(path, index + 1) : null,
    },
  );
}

/** What a further page of a list holds, so that no two pages have one description. */
function earlierOf({ pages }: Pages, index: number): string {
  const shown = pages[index] ?? [];
  return `Page ${index + 1} of ${pages.length}: agents from ${shown.at(-1)?.date} to ${shown[0]?.date}.`;
}

function documentsOf(agents: readonly PublishedAgent[]): AgentDocument[] {
  return agents.map(({ document }) => document);
}

function countedMonth({ month, path, agents }: Month): { month: string; path: string; count: number } {
  return { month, path, count: agents.length };
}

function counted({ key, label, description, agents }: Group) {
  return { key, label, description, count: agents.length };
}

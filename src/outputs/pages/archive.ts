import { listed, type Output } from '../output.ts';
import { documentsOf } from '../shared/agent-document.ts';
import { categoriesOf, commonTags, counted, monthsOf } from '../shared/groups.ts';
import { renderPage } from '../shared/page.ts';
import { breadcrumbNode, listNode } from '../shared/structured-data.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { filterChoices } from './filter-choices.ts';

/** The largest catalog whose archive is one page. A larger archive is divided by year and month. */
const wholeArchive = 200;

/** The archive in the breadcrumbs of the lists. */
export const archiveEntry = { name: 'Archive', path: 'archive' };

export const archive: Output = {
  path: 'archive.html',
  also: 'archive/index.html',
  purpose: 'Every agent by month; in a large catalog, the newest month and links to the others',
  *files(site) {
    const copy = isDivided(site) ? { copy: 'archive/index.html' } : {};
    yield { path: 'archive.html', ...copy, inputs: listed(site.agents), render: () => archivePage(site) };
  },
};

export const archiveYears: Output = {
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

export const archiveMonths: Output = {
  path: 'archive/{year}/{month}.html',
  purpose: 'The agents of one month, in a large catalog',
  *files(site) {
    const months = yearsOf(site).flatMap((year) => year.months);
    for (const [index, month] of months.entries()) {
      const [newer, older] = [months[index - 1], months[index + 1]];
      yield {
        path: `${month.path}.html`,
        inputs: [newer, month, older].flatMap((shown) => ['month', ...listed(shown?.agents ?? [])]),
        render: () => monthPage(site, month, { newer, older }),
      };
    }
  },
};

/** The paths of the archive's pages, below the base URL, each with the agents that it shows. */
export function* archiveAddresses(site: Site): Iterable<{ path: string; agents: readonly PublishedAgent[] }> {
  yield { path: 'archive', agents: monthsShown(site).flatMap(({ agents }) => agents) };
  for (const { year, months } of yearsOf(site)) {
    yield { path: `archive/${year}`, agents: months.flatMap(({ agents }) => agents) };
    yield* months;
  }
}

interface Month {
  /** YYYY-MM. */
  month: string;
  /** The path of its page, below the base URL. */
  path: string;
  agents: readonly PublishedAgent[];
}

function isDivided({ agents }: Site): boolean {
  return agents.length > wholeArchive;
}

/** The years of a divided archive with their months, newest first; empty if the archive is one page. */
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

/** The months whose agents the archive lists: all of them, or only the newest if it is divided. */
function monthsShown(site: Site): { key: string; agents: PublishedAgent[] }[] {
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
      agents: documentsOf(agents),
      newer: newer === undefined ? null : countedMonth(newer),
      older: older === undefined ? null : countedMonth(older),
    },
  );
}

function countedMonth({ month, path, agents }: Month): { month: string; path: string; count: number } {
  return { month, path, count: agents.length };
}

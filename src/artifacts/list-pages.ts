import { type Artifact, html, single } from './artifact.ts';
import { filterChoices } from './filter-choices.ts';
import { categoriesOf, type Group, monthsOf, tagsOf } from './groups.ts';
import { renderPage } from './page.ts';
import type { Site } from './site.ts';

export const archive = single('archive.html', html, 'Every agent by month', (site) =>
  renderPage(
    site,
    {
      template: 'archive',
      title: 'Archive',
      description: `Every agent of ${site.settings.title}.`,
      path: 'archive',
      ownSearch: true,
    },
    {
      count: site.agents.length,
      choices: filterChoices(site),
      months: monthsOf(site).map(({ key, agents }) => ({ month: key, agents: agents.map(({ document }) => document) })),
      categories: categoriesOf(site).map(counted),
      tags: tagsOf(site).map(counted),
    },
  ),
);

export const categories: Artifact = {
  path: 'categories/{category}.html',
  type: html,
  purpose: 'The agents of one category',
  *files(site) {
    for (const group of categoriesOf(site)) {
      const path = `categories/${group.key}`;
      const feed = {
        type: 'application/atom+xml',
        href: site.url.absolute(`feeds/${group.key}.xml`),
        title: `${group.label} (Atom)`,
      };
      yield { path: `${path}.html`, render: () => groupPage(site, { ...group, kind: 'Category', path, feed }) };
    }
  },
};

export const tags: Artifact = {
  path: 'tags/{tag}.html',
  type: html,
  purpose: 'The agents with one tag',
  *files(site) {
    for (const group of tagsOf(site)) {
      const path = `tags/${group.key}`;
      yield { path: `${path}.html`, render: () => groupPage(site, { ...group, kind: 'Tag', path, feed: null }) };
    }
  },
};

interface GroupPage extends Group {
  kind: string;
  /** Below the base URL. */
  path: string;
  /** The feed of the group, where it has one. */
  feed: { type: string; href: string; title: string } | null;
}

function groupPage(site: Site, { kind, path, label, description, agents, feed }: GroupPage): string {
  return renderPage(
    site,
    { template: 'group', title: `${kind}: ${label}`, description, path, alternates: feed === null ? [] : [feed] },
    { kind, label, description, feed, agents: agents.map(({ document }) => document) },
  );
}

function counted({ key, label, agents }: Group): { key: string; label: string; count: number } {
  return { key, label, count: agents.length };
}

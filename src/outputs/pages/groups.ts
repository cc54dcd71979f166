import { listed, type Output, type RenderedFile } from '../output.ts';
import { documentsOf } from '../shared/agent-document.ts';
import { categoriesOf, type Group, tagsOf } from '../shared/groups.ts';
import { renderPage } from '../shared/page.ts';
import { breadcrumbNode, listNode } from '../shared/structured-data.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { archiveEntry } from './archive.ts';

/** How many agents of a category or tag are on a page. The list continues at `<key>/2`. */
const pageLength = 100;

export const categories: Output = {
  path: 'categories/{category}.html',
  also: 'categories/{category}/index.html',
  purpose: 'The newest agents of one category',
  *files(site) {
    for (const group of categoriesOf(site)) yield* firstPage(site, categoryPages(site, group));
  },
};

export const categoriesFurther: Output = {
  path: 'categories/{category}/{page}.html',
  purpose: 'Earlier agents of a category, if it has more than one page',
  *files(site) {
    for (const group of categoriesOf(site)) yield* furtherPages(site, categoryPages(site, group));
  },
};

export const tags: Output = {
  path: 'tags/{tag}.html',
  also: 'tags/{tag}/index.html',
  purpose: 'The newest agents with one tag',
  *files(site) {
    for (const group of tagsOf(site)) yield* firstPage(site, tagPages(group));
  },
};

export const tagsFurther: Output = {
  path: 'tags/{tag}/{page}.html',
  purpose: 'Earlier agents with a tag, if it has more than one page',
  *files(site) {
    for (const group of tagsOf(site)) yield* furtherPages(site, tagPages(group));
  },
};

/** The paths of the pages of categories and tags, below the base URL, each with the agents that it shows. */
export function* groupAddresses(site: Site): Iterable<{ path: string; agents: readonly PublishedAgent[] }> {
  const groups = [...categoriesOf(site).map((group) => categoryPages(site, group)), ...tagsOf(site).map(tagPages)];
  for (const { path, pages } of groups) {
    for (const [index, agents] of pages.entries()) yield { path: addressOf(path, index), agents };
  }
}

/** A category or tag, divided into pages. */
interface Pages extends Group {
  kind: 'Category' | 'Tag';
  /** The category whose color the pages have. */
  category?: string;
  /** The path of the first page, below the base URL. */
  path: string;
  /** The feed of the group, or null. */
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

/** The path of a page of a list, counted from 0. */
function addressOf(path: string, index: number): string {
  return index === 0 ? path : `${path}/${index + 1}`;
}

function* firstPage(site: Site, group: Pages): Iterable<RenderedFile> {
  const copy = group.pages.length > 1 ? { copy: `${group.path}/index.html` } : {};
  yield { path: `${group.path}.html`, ...copy, inputs: listed(group.agents), render: () => groupPage(site, group, 0) };
}

function* furtherPages(site: Site, group: Pages): Iterable<RenderedFile> {
  for (let index = 1; index < group.pages.length; index += 1) {
    yield {
      path: `${addressOf(group.path, index)}.html`,
      inputs: listed(group.agents),
      render: () => groupPage(site, group, index),
    };
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

/** Describes a further page of a list, so that no two pages have the same description. */
function agentsOn({ pages }: Pages, index: number): string {
  const shown = pages[index] ?? [];
  return `Page ${index + 1} of ${pages.length}: agents from ${shown.at(-1)?.date} to ${shown[0]?.date}.`;
}

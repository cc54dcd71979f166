import { many, publication } from '../rich-catalog.ts';
import type { Expected } from './reader.ts';

/** What the divided lists of a large catalog say: 205 agents, one a day from October 1, 2025, to April 23, 2026. */

const { title: name, categories, baseUrl } = publication;
const { label, description } = categories.writing;
const title = (issue: number) => `Agent <i>${issue}</i> &amp; co.`;
/** Whole numbers from `first` down to `last`. */
const down = (first: number, last: number) => Array.from({ length: first - last + 1 }, (_, index) => first - index);

/** A month: its agents from the newest on, with its days from the last on. */
const month = (issues: number[], lastDay: number, monthName: string, year: number): Expected => ({
  '.entry .number': issues.map((issue) => `No. ${issue}`),
  '.entry h3 a': issues.map(title),
  '.entry h3 a @href': issues.map((issue) => `/base/agents/agent-${issue}`),
  '.entry time': issues.map((_, index) => `${monthName} ${lastDay - index}, ${year}`),
  '.entry @data-accent': issues.map(() => '2'),
  '.entry .kicker': issues.map(() => label),
});

const page = (number: number, issues: number[]): Expected => ({
  title: `Category: ${label}, page ${number} · ${name}`,
  h1: label,
  '.page-head .standfirst': description,
  '.page-head > p:last-child': `${many.count} agents, newest first; page ${number} of 3. Follow this category as a feed. All agents`,
  '.entry h3': issues.map(title),
});

export const largePages: Record<string, Expected> = {
  'archive.html': {
    '.page-head .standfirst': 'One agent a day, 205 so far.',
    'section[aria-labelledby^=month-] h2': 'April 2026',
    ...month(down(205, 183), 23, 'April', 2026),
    'section[aria-labelledby^=year-] @aria-labelledby': ['year-2026', 'year-2025'],
    'section[aria-labelledby^=year-] h2': ['2026', '2025'],
    'section[aria-labelledby^=year-] h2 @id': ['year-2026', 'year-2025'],
    'section[aria-labelledby^=year-] h2 a @href': ['/base/archive/2026', '/base/archive/2025'],
    '.columns li': [
      ...['April 2026 23', 'March 2026 31', 'February 2026 28', 'January 2026 31'],
      ...['December 2025 31', 'November 2025 30', 'October 2025 31'],
    ],
    '.columns a @href': [
      ...['2026/04', '2026/03', '2026/02', '2026/01', '2025/12', '2025/11', '2025/10'].map(
        (path) => `/base/archive/${path}`,
      ),
    ],
  },
  'archive/2025.html': {
    'meta[name=description] @content': 'The agents of 2025, by month.',
    title: `2025 · ${name}`,
    h1: '2025',
    '.page-head .dateline a @href': '/base/archive',
    'section @aria-labelledby': ['month-2025-12', 'month-2025-11', 'month-2025-10'],
    'section h2': ['December 2025', 'November 2025', 'October 2025'],
    'section h2 @id': ['month-2025-12', 'month-2025-11', 'month-2025-10'],
    'section h2 a @href': ['/base/archive/2025/12', '/base/archive/2025/11', '/base/archive/2025/10'],
    '.titles li': down(92, 1).map(title),
    '.titles a @href': down(92, 1).map((issue) => `/base/agents/agent-${issue}`),
  },
  'archive/2026/02.html': {
    'meta[name=description] @content': 'The agents of February 2026.',
    title: `February 2026 · ${name}`,
    h1: 'February 2026',
    '.page-head .dateline': 'Archive, 2026',
    '.page-head .dateline a @href': ['/base/archive', '/base/archive/2026'],
    ...month(down(151, 124), 28, 'February', 2026),
    '.between a': ['Earlier January 2026', 'Later March 2026'],
    '.between a @href': ['/base/archive/2026/01', '/base/archive/2026/03'],
    '.between a @rel': ['prev', 'next'],
  },
  // What follows one another in two years.
  'archive/2026/01.html': {
    '.between a': ['Earlier December 2025', 'Later February 2026'],
    '.between a @href': ['/base/archive/2025/12', '/base/archive/2026/02'],
  },
  'archive/2025/12.html': {
    '.between a': ['Earlier November 2025', 'Later January 2026'],
    '.between a @href': ['/base/archive/2025/11', '/base/archive/2026/01'],
  },
  'archive/2026/04.html': { '.between a': 'Earlier March 2026' },
  'archive/2025/10.html': { '.between a': 'Later November 2025' },
  'categories/writing.html': {
    '.page-head > p:last-child': '205 agents, newest first; page 1 of 3. Follow this category as a feed. All agents',
    '.entry h3': down(205, 106).map(title),
    '.between a': 'Earlier agents Page 2',
    '.between a @href': '/base/categories/writing/2',
  },
  'categories/writing/2.html': {
    ...page(2, down(105, 6)),
    'meta[name=description] @content': `${description} Page 2 of 3: agents from 2025-10-06 to 2026-01-13.`,
    '.between a': ['Earlier agents Page 3', 'Later agents Page 1'],
    '.between a @href': ['/base/categories/writing/3', '/base/categories/writing'],
    '.between a @rel': ['next', 'prev'],
  },
  'categories/writing/3.html': {
    ...page(3, down(5, 1)),
    '.between a': 'Later agents Page 2',
    '.between a @href': '/base/categories/writing/2',
  },
  'tags/tag-two.html': {
    'meta[name=description] @content': `Agents tagged “tag-two”, such as ${title(205)}, ${title(204)}, ${title(203)}.`,
  },
  'tags/tag-two/2.html': { h1: 'tag-two', '.entry h3': down(105, 6).map(title) },
};

/** Files of it that are XML. A list changed when one of the agents that it shows did. */
export const largeXml: Record<string, Expected> = {
  'sitemap.xml': {
    '/s:urlset/s:url[s:lastmod="2026-04-25"]/s:loc': [
      ...['agents/agent-1', 'archive/2025', 'archive/2025/10', 'categories/writing/3', 'tags/tag-two/3'],
    ].map((path) => `${baseUrl}/${path}`),
    [`/s:urlset/s:url[s:loc="${baseUrl}/"]/s:lastmod`]: '2026-04-23',
    [`/s:urlset/s:url[s:loc="${baseUrl}/archive"]/s:lastmod`]: '2026-04-23',
  },
};

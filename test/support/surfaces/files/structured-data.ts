import { newer, older, publication, rich } from '../../rich-catalog.ts';
import { address, base, coding, writing } from '../known.ts';
import type { Expected } from '../reader.ts';

const { title: name, tagline, description, publisher } = publication;

/** What leads from the home page to a page. */
const breadcrumbs = (...way: (readonly [string, string])[]): Expected => ({
  '@graph.0.@type': 'BreadcrumbList',
  '@graph.0.itemListElement.*.position': ['1', ...way.map((_, index) => String(index + 2))],
  '@graph.0.itemListElement.*.name': [name, ...way.map(([label]) => label)],
  '@graph.0.itemListElement.*.item': [`${base}/`, ...way.map(([, path]) => `${base}/${path}`)],
});

/** The blocks of JSON-LD of pages, one after the other under @graph. */
export const structuredData: Record<string, Expected> = {
  'agents/rich.html': {
    '@graph.*.@type': ['CreativeWork', 'HowTo', 'BreadcrumbList'],
    '@graph.0.@id': `${address}#work`,
    '@graph.0.url': address,
    '@graph.0.name': rich.title,
    '@graph.0.abstract': rich.excerpt,
    '@graph.0.description': rich.problem,
    '@graph.0.image': `${base}/og/rich.png`,
    '@graph.0.position': '2',
    '@graph.0.datePublished': '2026-02-28',
    '@graph.0.dateModified': '2026-03-04',
    '@graph.0.genre': coding,
    '@graph.0.keywords': JSON.stringify(rich.tags),
    '@graph.0.inLanguage': 'en',
    '@graph.0.license': 'https://creativecommons.org/licenses/by/4.0/',
    '@graph.0.isPartOf.@id': `${base}/#website`,
    '@graph.0.encoding.*.encodingFormat': ['text/plain', 'text/markdown', 'application/json'],
    '@graph.1.about.@id': `${address}#work`,
    '@graph.0.creditText': `“${rich.title}” by ${publisher.name}, CC BY 4.0`,
    '@graph.0.author.name': publisher.name,
    '@graph.0.publisher.name': publisher.name,
    '@graph.0.publisher.url': publisher.url,
    '@graph.0.encoding.*.contentUrl': [`${address}/prompt.txt`, `${address}.md`, `${base}/api/agents/rich.json`],
    '@graph.1.name': `How to use ${rich.title}`,
    '@graph.1.description': rich.excerpt,
    '@graph.1.step.*.name': rich.steps.map(({ name }) => name),
    '@graph.1.step.*.text': rich.steps.map(({ text }) => text),
    '@graph.1.step.*.position': ['1', '2'],
    '@graph.1.step.*.url': [`${address}#step-1`, `${address}#step-2`],
    '@graph.2.itemListElement.*.name': [name, coding, rich.title],
    '@graph.2.itemListElement.*.item': [`${base}/`, `${base}/categories/coding`, address],
  },
  'index.html': {
    '@graph.*.@type': ['WebSite', 'ItemList'],
    '@graph.0.name': name,
    '@graph.0.alternativeHeadline': tagline,
    '@graph.0.description': description,
    '@graph.0.url': `${base}/`,
    '@graph.0.publisher.name': publisher.name,
    '@graph.1.numberOfItems': '3',
    '@graph.1.itemListElement.*.name': [newer.title, rich.title, older.title],
    '@graph.1.itemListElement.*.position': ['1', '2', '3'],
  },
  'categories/coding.html': {
    ...breadcrumbs(['Archive', 'archive'], [coding, 'categories/coding']),
    '@graph.1.@id': `${base}/categories/coding#agents`,
    '@graph.1.numberOfItems': '2',
    '@graph.1.itemListElement.*.url': [`${base}/agents/newer`, address],
  },
  'archive.html': { ...breadcrumbs(['Archive', 'archive']), '@graph.1.numberOfItems': '3' },
  'about.html': breadcrumbs(['About', 'about']),
  'developers.html': breadcrumbs(['For developers', 'developers']),
};

/** The same of pages of the large catalog. */
export const largeData: Record<string, Expected> = {
  'categories/writing/2.html': {
    ...breadcrumbs(['Archive', 'archive'], [`${writing}, page 2`, 'categories/writing/2']),
    '@graph.1.numberOfItems': '205',
    '@graph.1.itemListElement.0.position': '101',
    '@graph.1.itemListElement.0.name': 'Agent <i>105</i> &amp; co.',
    '@graph.1.itemListElement.99.position': '200',
  },
  'archive/2025.html': breadcrumbs(['Archive', 'archive'], ['2025', 'archive/2025']),
  'archive/2026/02.html': breadcrumbs(
    ['Archive', 'archive'],
    ['2026', 'archive/2026'],
    ['February 2026', 'archive/2026/02'],
  ),
};

import { promptLicense } from '../../schema/license.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { agentImage } from './urls.ts';

/** Describes pages to search engines, as JSON-LD with the vocabulary of schema.org. */

/**
 * Renders nodes as the text of a `<script type="application/ld+json">`, which the Content-Security-Policy allows since
 * it is data. Null without nodes. No text in it can end the element.
 */
export function structuredData(nodes: readonly object[]): string | null {
  if (nodes.length === 0) return null;
  return JSON.stringify({ '@context': 'https://schema.org', '@graph': nodes }).replaceAll('<', '\\u003c');
}

/** Describes the publication. */
export function websiteNode({ settings, url }: Site): object {
  return {
    '@type': 'WebSite',
    '@id': websiteId(url),
    url: url.absolute(),
    name: settings.title,
    alternateName: settings.tagline,
    description: settings.description,
    inLanguage: settings.language,
    publisher: publisherNode(settings),
  };
}

/** Describes an agent: the work, and how to use it. */
export function agentNodes({ settings, url }: Site, { document, published, changed }: PublishedAgent): object[] {
  const work = `${document.url}#work`;
  return [
    {
      '@type': 'CreativeWork',
      '@id': work,
      url: document.url,
      name: document.title,
      abstract: document.excerpt,
      description: document.problem,
      image: url.absolute(agentImage(document.slug)),
      position: document.issue,
      datePublished: published.toISOString(),
      dateModified: changed.toISOString(),
      genre: document.categoryLabel,
      keywords: document.tags,
      inLanguage: settings.language,
      license: promptLicense.url,
      creditText: `“${document.title}” by ${settings.publisher.name}, ${promptLicense.name}`,
      author: publisherNode(settings),
      publisher: publisherNode(settings),
      isPartOf: { '@id': websiteId(url) },
      encoding: [
        { '@type': 'MediaObject', encodingFormat: 'text/plain', contentUrl: document.promptUrl },
        { '@type': 'MediaObject', encodingFormat: 'text/markdown', contentUrl: `${document.url}.md` },
        { '@type': 'MediaObject', encodingFormat: 'application/json', contentUrl: document.apiUrl },
      ],
    },
    {
      '@type': 'HowTo',
      name: `How to use ${document.title}`,
      description: document.excerpt,
      about: { '@id': work },
      step: document.steps.map(({ name, text }, index) => ({
        '@type': 'HowToStep',
        position: index + 1,
        name,
        text,
        url: `${document.url}#step-${index + 1}`,
      })),
    },
  ];
}

/** Describes the list on a page, newest first. All its pages have `total` agents, and earlier pages have `before`. */
export function listNode(
  { url }: Site,
  path: string,
  agents: readonly PublishedAgent[],
  { total = agents.length, before = 0 }: { total?: number; before?: number } = {},
): object {
  return {
    '@type': 'ItemList',
    '@id': `${url.absolute(path)}#agents`,
    url: url.absolute(path),
    numberOfItems: total,
    itemListOrder: 'https://schema.org/ItemListOrderDescending',
    itemListElement: agents.map(({ document }, index) => ({
      '@type': 'ListItem',
      position: before + index + 1,
      name: document.title,
      url: document.url,
    })),
  };
}

/** Describes the path from the home page to a page, including both. */
export function breadcrumbNode({ settings, url }: Site, way: readonly { name: string; path: string }[]): object {
  return {
    '@type': 'BreadcrumbList',
    itemListElement: [{ name: settings.title, path: '' }, ...way].map(({ name, path }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item: url.absolute(path),
    })),
  };
}

function publisherNode({ publisher }: Site['settings']): object {
  return { '@type': 'Organization', name: publisher.name, url: publisher.url };
}

function websiteId(url: Site['url']): string {
  return `${url.absolute()}#website`;
}

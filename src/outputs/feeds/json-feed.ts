import { single, whole } from '../output.ts';
import { jsonParts } from '../shared/json-parts.ts';
import type { PublishedAgent, Site } from '../site.ts';
import { entryContent, entryId, newest } from './feeds.ts';

/** JSON Feed 1.1 (jsonfeed.org/version/1.1). The feed library writes only version 1. */
export default single(
  'feed.json',
  'JSON Feed 1.1: the newest agents',
  (site) => {
    const { settings, url } = site;
    const document = {
      version: 'https://jsonfeed.org/version/1.1',
      title: settings.title,
      home_page_url: url.absolute(),
      feed_url: url.absolute('feed.json'),
      description: settings.description,
      language: settings.language,
      authors: [{ name: settings.publisher.name, url: settings.publisher.url }],
    };
    return jsonParts(
      document,
      'items',
      newest(site).map((agent) => ({ input: agent.fingerprint.whole, value: () => itemOf(site, agent) })),
    );
  },
  (site) => whole(newest(site)),
);

function itemOf(site: Site, agent: PublishedAgent): object {
  return {
    id: entryId(site, agent),
    url: agent.document.url,
    title: agent.title,
    summary: agent.excerpt,
    content_html: entryContent(site, agent),
    date_published: agent.published.toISOString(),
    date_modified: agent.changed.toISOString(),
    tags: [agent.document.categoryLabel, ...agent.tags],
  };
}

import { basename } from 'node:path';
import { settingsSource } from '../../schema/settings.ts';
import { slugFrom, titleFrom } from '../../schema/slugs.ts';
import { type ChecksOf, demand, type Given, oneLine } from '../answer-checks.ts';

/** What has to be known of a new catalog before its files can be made. */
export interface Answers {
  title: string;
  baseUrl: string;
  publisher: string;
  publisherUrl: string;
  /** An IANA name. */
  timezone: string;
}

/** The address that stands in for a base URL that is not known yet: a name that leads nowhere (RFC 2606). */
export const placeholderUrl = 'https://example.com';

const { title, baseUrl, publisher, timezone } = settingsSource.shape;

/** Checks of every answer against the schema of the settings, in which it will stand. */
export const answerChecks: ChecksOf<Answers> = {
  title: (name, given) => checked(title, name, given),
  baseUrl: (name, given) => checked(baseUrl, name, given),
  publisher: (name, given) => checked(publisher.shape.name, name, given),
  publisherUrl: (name, given) => checked(publisher.shape.url, name, given),
  timezone: (name, given) => checked(timezone, name, given),
};

function checked(schema: Parameters<typeof demand>[0], name: string, given: Given): string {
  return oneLine(name, String(demand(schema, name, given)));
}

/** Fills what was not given: the title from the name of the folder, the rest from what is there. */
export function complete(given: Partial<Answers>, folder: string): Answers {
  const title = given.title ?? (titleFrom(slugFrom(basename(folder))) || 'Agent Catalog');
  const baseUrl = given.baseUrl ?? placeholderUrl;
  return {
    title,
    baseUrl,
    publisher: given.publisher ?? title,
    publisherUrl: given.publisherUrl ?? baseUrl,
    timezone: given.timezone ?? 'UTC',
  };
}

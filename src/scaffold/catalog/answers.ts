import { basename } from 'node:path';
import { settingsSource } from '../../schema/settings.ts';
import { slugFrom, titleFrom } from '../../schema/slugs.ts';
import { type ChecksOf, demand, type Given, oneLine } from '../answer-checks.ts';

/** The answers that the files of a new catalog are made from. */
export interface Answers {
  title: string;
  baseUrl: string;
  publisher: string;
  publisherUrl: string;
  /** An IANA name. */
  timezone: string;
}

/** The base URL until the real one is known. It leads nowhere (RFC 2606). */
export const placeholderUrl = 'https://example.com';

const { title, baseUrl, publisher, timezone } = settingsSource.shape;

/** Checks every answer against the schema of the settings. */
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

/** Fills in missing answers: the title from the name of the folder, the others from given answers or defaults. */
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

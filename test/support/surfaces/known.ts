import { publication, rich } from '../rich-catalog.ts';

/** Addresses and labels that many surfaces show. */

export const base = publication.baseUrl;
export const address = `${base}/agents/${rich.slug}`;
export const coding = publication.categories.coding.label;
export const writing = publication.categories.writing.label;

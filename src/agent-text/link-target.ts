import { headingOfHash } from './heading-ids.ts';

/** Where the links of an agent's text start from. */
export interface LinkBase {
  /** The address of the agent's page. */
  page: string;
  /** The base URL. */
  root: string;
  /** The ids of the headings in the text. */
  headings: readonly string[];
}

/**
 * Makes the target of a link in an agent's text absolute. A leading slash means the root of the catalog, which may be
 * below the root of the host.
 */
export function absoluteTarget(target: string, { page, root, headings }: LinkBase): string {
  const rooted = target.startsWith('/') ? root + target : target;
  if (!URL.canParse(rooted, page)) return target;
  const { href, hash } = new URL(rooted, page);
  const heading = hash !== '' && href === page + hash ? headingOfHash(hash, headings) : null;
  return heading === null ? href : `${page}#${encodeURI(heading)}`;
}

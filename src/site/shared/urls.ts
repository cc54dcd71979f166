import type { Settings } from '../../schema/settings.ts';

/** Makes addresses: absolute ones for feeds, the API and canonical links, paths for links within pages. */
export interface Addresses {
  /** The absolute address of a path below the base URL, such as `feed.xml`. @default the home page */
  absolute(path?: string): string;
  /** The link to a path from any page, such as `/repo/archive`. */
  link(path?: string): string;
  agent(slug: string): string;
  api(slug: string): string;
  prompt(slug: string): string;
  config(slug: string, file: string): string;
  /**
   * The start of the addresses that forms send to, or null without a server. It is a path if the server has the origin
   * of the base URL, so that forms work wherever the pages are served.
   */
  serverApi: string | null;
}

/** The path of an agent's social image. */
export function agentImage(slug: string): string {
  return `og/${slug}.png`;
}

/** The social image of all other pages. No agent can have the slug `catalog`. */
export const publicationImage = agentImage('catalog');

export function addresses({ baseUrl, runtimeUrl }: Pick<Settings, 'baseUrl' | 'runtimeUrl'>): Addresses {
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '');
  const absolute = (path = '') => `${baseUrl}/${path}`;
  return {
    absolute,
    link: (path = '') => `${basePath}/${path}`,
    agent: (slug) => absolute(`agents/${slug}`),
    api: (slug) => absolute(`api/agents/${slug}.json`),
    prompt: (slug) => absolute(`agents/${slug}/prompt.txt`),
    config: (slug, file) => absolute(`agents/${slug}/${file}`),
    serverApi: runtimeUrl === null ? null : `${sameOrigin(runtimeUrl, baseUrl)}/api`,
  };
}

/** Removes the origin of an address if `base` has the same one. Neither ends with a slash. */
function sameOrigin(address: string, base: string): string {
  const { origin, pathname } = new URL(address);
  return origin === new URL(base).origin ? pathname.replace(/\/$/, '') : address;
}

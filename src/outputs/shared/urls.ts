import type { Settings } from '../../schema/settings.ts';

/** Where everything is: absolute addresses for feeds, the API and canonical links, paths for links within pages. */
export interface Addresses {
  /** The path of the base URL, without a slash at its end: empty, or such as `/repo`. */
  basePath: string;
  /** The absolute address of a path below the base URL, such as `feed.xml`; of the home page without one. */
  absolute(path?: string): string;
  /** The link to a path from any page, such as `/repo/archive`. */
  link(path?: string): string;
  agent(slug: string): string;
  api(slug: string): string;
  prompt(slug: string): string;
  config(slug: string, file: string): string;
  /**
   * What the addresses of the runtime's API start with, for forms: a path where the runtime has the origin of the base
   * URL, so that the forms work wherever the pages are served; null where there is no runtime.
   */
  runtimeApi: string | null;
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
    basePath,
    absolute,
    link: (path = '') => `${basePath}/${path}`,
    agent: (slug) => absolute(`agents/${slug}`),
    api: (slug) => absolute(`api/agents/${slug}.json`),
    prompt: (slug) => absolute(`agents/${slug}/prompt.txt`),
    config: (slug, file) => absolute(`agents/${slug}/${file}`),
    runtimeApi: runtimeUrl === null ? null : `${sameOrigin(runtimeUrl, baseUrl)}/api`,
  };
}

/** An address without its origin where that is the origin of `base` too. Neither ends with a slash. */
function sameOrigin(address: string, base: string): string {
  const { origin, pathname } = new URL(address);
  return origin === new URL(base).origin ? pathname.replace(/\/$/, '') : address;
}

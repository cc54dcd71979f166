import type { Settings } from '../schema/settings.ts';

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
}

export function addresses({ baseUrl }: Pick<Settings, 'baseUrl'>): Addresses {
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
  };
}

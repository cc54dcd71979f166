import { createHash } from 'node:crypto';
import { renderCatalog } from '../../src/build/build.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { installTree } from '../../src/site/install/plugins.ts';
import { type SmallAgent, smallSettings } from './catalog.ts';

/** A catalog whose texts are hard for plugins, and its plugins. */

const quoted = (text: string) => JSON.stringify(text);
const hostile = `<i>&amp; "quoted" 'single' \\ ]]> {{args}} !{ls} @{file} \${HOME} Ωμέγα`;

/** Settings with signs that JSON, YAML and shells treat in their own way. */
export const settings = {
  ...smallSettings,
  title: 'Käse & Brot: “prompts”',
  publisher: { name: hostile, url: 'https://press.example', email: 'desk@press.example' },
  repository: 'https://github.com/press/prompts',
};
/** A plain agent, one with such signs, one with long texts, and a withdrawn one. */
export const agents: SmallAgent[] = [
  { slug: 'plain', date: '2026-11-01', front: { issue: '1' } },
  {
    slug: 'hostile',
    date: '2026-11-02',
    front: {
      issue: '2',
      title: quoted(`Title ${hostile}`),
      excerpt: quoted(`Excerpt ${hostile}`),
      formerSlugs: '[old-name, older-name]',
    },
  },
  {
    slug: 'long',
    date: '2026-11-03',
    front: { issue: '3', title: quoted('w'.repeat(120)), excerpt: quoted('ö'.repeat(300)) },
  },
  {
    slug: 'gone',
    date: '2026-11-04',
    front: { issue: '4', withdrawn: quoted('It was wrong.'), formerSlugs: '[gone-before]' },
  },
];

/** What a build of such a catalog has of plugins. */
export interface Rendered {
  files: ReadonlyMap<string, Buffer>;
  tree: ReadonlyMap<string, string>;
}

/** The site and the install tree of the catalog in a folder. */
export function renderIn(folder: string): Rendered {
  const { rendered, site } = renderCatalog({
    cwd: folder,
    settings: loadSettings(folder, {}, {}),
    images: false,
    today: '2026-11-21',
  });
  return { files: rendered.files, tree: installTree(site) };
}

/** The digest of each archive, by its path. */
export function plugins({ files }: Rendered): Map<string, string> {
  return new Map(
    [...files]
      .filter(([path]) => /^plugins\/.*\.zip$/.test(path))
      .map(([path, bytes]) => [path, createHash('sha256').update(bytes).digest('hex')]),
  );
}

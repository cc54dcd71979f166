import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renderCatalog } from '../../src/build/build.ts';
import { loadSettings } from '../../src/content/settings.ts';
import type { PluginRelease, PublishedPlugins, Revisions } from '../../src/schema/documents.ts';
import { outputsAt } from '../../src/site/index.ts';
import { codexCategory, treeChangelog, versionsByRelease } from '../../src/site/install/plugins.ts';
import type { Part, RenderedFile } from '../../src/site/output.ts';
import type { Site } from '../../src/site/site.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';

/** Plugins with many earlier versions, and the words of clients for categories. */

const { site } = await inFolder((folder) => {
  writeCatalog(folder, [{ slug: 'one', date: '2026-01-01' }]);
  return renderCatalog({ cwd: folder, settings: loadSettings(folder, {}, {}), images: false, today: '2026-01-02' });
});

/** The site after this many releases of its plugin, each with one file. `asked` gets how many texts are read at once. */
function after(count: number, asked: number[] = []): Site {
  const releases = Array.from({ length: count }, (_, revision): PluginRelease => {
    return { version: `1.${revision}.0`, files: [['plugin.json', `blob-${revision}`]], skill: null };
  });
  const published: PublishedPlugins = {
    releases: new Map([['one', releases]]),
    isRelease: () => false,
    read(blobs) {
      const all = [...blobs];
      asked.push(all.length);
      return new Map(all.map((blob) => [blob, `The text of ${blob}.`]));
    },
  };
  return { ...site, published, plugins: versionsByRelease(site, published) };
}

/** The files of the outputs that may have a file at a path. */
function filesAt(path: string, site: Site): RenderedFile[] {
  return outputsAt(path).flatMap((output) => [...output.files(site)]);
}

test('after the version 1.10.0 comes 1.11.0', () => {
  const { plugins, agents } = after(11);
  assert.equal(
    agents.map((agent) => plugins.of(agent)),
    ['1.11.0'],
  );
});

test('hundreds of earlier archives are read a few at a time, each with its own text', () => {
  const asked: number[] = [];
  const [current, ...earlier] = filesAt('plugins/one-1.0.0.zip', after(450, asked));
  assert.is(current?.path, 'plugins/one-1.450.0.zip');
  assert.equal([earlier.length, asked], [450, []]);
  const wrong = earlier.filter(({ path, render }) => {
    const [, revision] = /^plugins\/one-1\.(\d+)\.0\.zip$/.exec(path) ?? [];
    const bytes = render(() => '');
    return !(bytes instanceof Uint8Array && Buffer.from(bytes).includes(`The text of blob-${revision}.`));
  });
  assert.equal(wrong, []);
  assert.equal(asked, [200, 200, 50]);
});

test('the versions of a plugin are listed with the current one first, then from the newest to the first', () => {
  const [file] = filesAt('api/revisions.json', after(11));
  const parts = file?.render(() => '0'.repeat(64)) as readonly Part[];
  const { agents } = JSON.parse(parts.map(({ render }) => render()).join('')) as Revisions;
  assert.equal(
    agents[0]?.plugins.map(({ version }) => version),
    Array.from({ length: 12 }, (_, at) => `1.${11 - at}.0`),
  );
});

test('CHANGELOG.md has the newest change first, and of one day the agent with the highest number', () => {
  const agents = [
    { slug: 'old', issue: 3, changedOn: '2026-01-01' },
    { slug: 'low', issue: 1, changedOn: '2026-01-02' },
    { slug: 'high', issue: 2, changedOn: '2026-01-02' },
  ].map((fields) => ({ ...fields, title: 'A title' }));
  const plugins = { of: ({ slug }: { slug: string }) => (slug === 'low' ? '1.7.0' : '1.0.0') };
  const lines = treeChangelog({ agents, plugins } as unknown as Site)
    .split('\n')
    .slice(4, -1);
  assert.equal(lines, [
    '- 2026-01-02: A title (`high`, No. 2), version 1.0.0',
    '- 2026-01-02: A title (`low`, No. 1), version 1.7.0',
    '- 2026-01-01: A title (`old`, No. 3), version 1.0.0',
  ]);
});

/** The categories of Codex, and the names of categories that belong to each. */
const categories: Record<string, string[]> = {
  'Developer Tools': ['coding', 'devtools', 'development', 'programming', 'testing'],
  'Data & Analytics': ['data', 'analytics'],
  Creativity: ['writing', 'design', 'creativity'],
  'Education & Research': ['research', 'education', 'learning'],
  'Business & Operations': ['ops', 'operations', 'business', 'management'],
  Communication: ['communication', 'email', 'support'],
  Finance: ['finance'],
  Security: ['security'],
  Travel: ['travel'],
  Productivity: ['planning', 'unsecurity', 'data-entry', 'devops', 'testing-tools'],
};
test("a category is one of Codex's", () => {
  for (const [category, keys] of Object.entries(categories))
    for (const key of keys) assert.is(codexCategory(key), category, key);
});

test.run();

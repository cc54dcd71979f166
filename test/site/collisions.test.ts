import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renderCatalog } from '../../src/build/build.ts';
import { claimPaths } from '../../src/build/render.ts';
import { loadSettings } from '../../src/content/settings.ts';
import { pathName, slug } from '../../src/schema/fields.ts';
import { outputs } from '../../src/site/index.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';

/** No page may overwrite another page, or the page of a folder. */

/** Every word in the path of an output, and every word that a program might treat specially. */
const words = [
  ...new Set([
    ...outputs.flatMap(
      ({ path, also = '' }) => `${path}/${also}`.toLowerCase().match(/[a-z0-9]+(?:-[a-z0-9]+)*/g) ?? [],
    ),
    ...['1', '2', '2026', '404', 'constructor', 'prototype', 'well-known'],
  ]),
];

test('no two outputs share a path, whatever allowed names agents, former slugs, tags and categories have', async () => {
  await inFolder((folder) => {
    const slugs = words.filter((word) => slug.safeParse(word).success);
    const names = words.filter((word) => pathName.safeParse(word).success);
    const agents = Array.from({ length: 105 }, (_, index) => ({
      slug: slugs[index] ?? `other-${index}`,
      date: new Date(Date.UTC(2026, 0, index + 1)).toISOString().slice(0, 10),
      front: {
        category: JSON.stringify(names[index] ?? '2'),
        tags: `[shared, "${names[index] ?? 'rest'}"]`,
        ...(index < slugs.length ? { formerSlugs: `[former-${slugs[index]}]` } : {}),
      },
    }));
    const categories = Object.fromEntries(names.map((name) => [name, { label: name, description: name }]));
    writeCatalog(folder, agents, { categories });
    const settings = loadSettings(folder, {}, {});
    const { files } = renderCatalog({ cwd: folder, settings, today: '2026-12-31', images: false }).rendered;
    assert.ok(files.has('tags/shared/2.html'));
    assert.ok(files.has('agents/constructor.html'));
    for (const family of ['agents', 'tags', 'categories', 'feeds', 'api/agents']) {
      assert.not(files.has(`${family}/index.html`), `${family}/ has a page of its own`);
    }
  });
});

const collisions: [paths: string[], free: boolean][] = [
  [['a.html', 'a/index.html', 'a/b.html'], true],
  [['a/b.html', 'a/b.html'], false],
  [['a/b.html', 'A/B.html'], false],
  [['a', 'a/b.html'], false],
  [['a/b.html', 'a'], false],
];
for (const [paths, free] of collisions) {
  test(`a build ${free ? 'accepts' : 'refuses'} the paths ${paths.join(', ')}`, () => {
    const claim = claimPaths();
    const all = () => {
      for (const path of paths) claim(path);
    };
    if (free) all();
    else assert.throws(all, /Two outputs of the build have the path/);
  });
}

test.run();

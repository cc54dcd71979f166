import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renderCatalog } from '../../../src/build/build.ts';
import { cacheFolder } from '../../../src/cli/options.ts';
import { loadSettings } from '../../../src/content/settings.ts';
import { readFont } from '../../../src/site/social-image/renderer.ts';
import { Typesetter } from '../../../src/site/social-image/social-image.ts';
import { inFolder, type SmallAgent, writeCatalog, writeFiles } from '../../support/catalog.ts';
import { bin, run } from '../../support/process.ts';

/** A shared link shows an image with the title, wherever the catalog was built. */

const fontFolder = new URL('../../../templates/fonts/', import.meta.url);

const titles: Record<string, string> = {
  longest:
    'Quarterly infrastructure cost-allocation reconciliation and anomaly-explanation assistant for platform teams',
  wide: 'W'.repeat(120),
  cyrillic: 'Переводчик заметок о выпуске для нетерпеливых читателей',
  greek: '🚀 Μεταφραστής σημειώσεων 👩‍💻 έκδοσης',
  vietnamese: 'Tiếng Việt: trình tạo ghi chú phát hành ứng dụng',
  'release-note-translator': 'リリースノート翻訳者',
  markup: 'A & B < C > "D"',
};

const agents: SmallAgent[] = Object.entries(titles).map(([slug, title], index) => ({
  slug,
  date: `2026-01-0${index + 1}`,
  front: { title: JSON.stringify(title) },
}));

// taskset (util-linux) gives a program fewer cores than the machine has.
(existsSync('/usr/bin/taskset') ? test : test.skip)('a machine with one core draws images too', () =>
  inFolder(async (folder) => {
    writeCatalog(folder, agents.slice(0, 1));
    const args = ['-c', '0', process.execPath, bin, 'build', '--cwd', folder, '--today', '2026-01-09'];
    const { code, stderr } = await run('taskset', args, { env: { CATALOG_CACHE: join(folder, 'cache') } });
    assert.is(code, 0, stderr);
    assert.ok(statSync(join(folder, 'dist/og/longest.png')).size > 1000);
  }),
);

test('every agent and the publication have their own social image, 1200 by 630, of at most 40 KiB', async () => {
  await inFolder((folder) => {
    writeCatalog(folder, agents);
    const images = imagesOf(build(folder));
    assert.equal(
      Object.keys(images).sort(),
      [...Object.keys(titles), 'catalog'].map((slug) => `og/${slug}.png`).sort(),
    );
    for (const [path, png] of Object.entries(images)) {
      assert.is(png.toString('latin1', 0, 8), '\x89PNG\r\n\x1a\n', path);
      assert.equal([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 630], path);
      assert.ok(png.length <= 40 * 1024, `${path}: ${png.length} bytes`);
    }
    assert.is(new Set(Object.values(images).map((png) => png.toString('latin1'))).size, agents.length + 1);
  });
});

test('images come after the files of agents and before the pages that list them in the order of the build', async () => {
  await inFolder((folder) => {
    writeCatalog(folder, agents.slice(0, 1));
    const inOrder = [
      'agents/longest/prompt.txt',
      'og/longest.png',
      'agents/longest.html',
      'og/catalog.png',
      'build.json',
    ];
    for (const when of ['drawn', 'cached']) {
      const paths = [...build(folder, join(folder, 'cache')).keys()];
      const found = paths.filter((path) => inOrder.includes(path));
      assert.equal(found, inOrder, when);
    }
  });
});

test('a page gives the address of its social image, and its alternative text', async () => {
  await inFolder((folder) => {
    writeCatalog(folder, agents, { baseUrl: 'https://press.example/sub' });
    const files = build(folder, cacheFolder(process.env));
    const shared = (page: string, property: string) =>
      new RegExp(`<meta property="${property}" content="([^"]*)">`).exec(String(files.get(page)))?.[1];
    assert.is(shared('agents/cyrillic.html', 'og:image'), 'https://press.example/sub/og/cyrillic.png');
    assert.is(shared('agents/cyrillic.html', 'og:image:alt'), `No. 3 of Small Catalog: ${titles.cyrillic}`);
    for (const page of ['index.html', 'archive.html', 'tags/testing.html', '404.html']) {
      assert.is(shared(page, 'og:image'), 'https://press.example/sub/og/catalog.png', page);
      assert.is(shared(page, 'og:image:alt'), 'Small Catalog: Prompts for tests', page);
    }
  });
});

test('the bytes are the same whatever the cache contains and wherever it is', async () => {
  await inFolder((folder) => {
    writeCatalog(folder, agents.slice(0, 1));
    const expected = imagesOf(build(folder));
    const cache = join(folder, 'cache');
    const kept = join(cache, 'social-images');
    const same = (when: string, given = cache) => assert.equal(imagesOf(build(folder, given)), expected, when);

    same('cold');
    assert.is(readdirSync(kept).length, 2);
    const stored = readdirSync(kept).map((name) => [name, readFileSync(join(kept, name))] as const);
    same('warm');
    for (const [name, bytes] of stored) writeFileSync(join(kept, name), bytes.subarray(0, bytes.length / 2));
    same('cut short');
    for (const [name] of stored) writeFileSync(join(kept, name), '');
    same('empty');
    for (const [name, bytes] of stored) assert.equal(readFileSync(join(kept, name)), bytes, 'written anew');

    writeFileSync(join(folder, 'file'), '');
    same('a file in its place', join(folder, 'file'));
    if (existsSync('/proc/self')) same('a file system that takes nothing', '/proc/catalog');
    mkdirSync(join(folder, 'other', 'social-images', `${stored[0]?.[0]}`), { recursive: true });
    same('a folder instead of an image', join(folder, 'other'));
  });
});

test('an image in the cache is not drawn again', async () => {
  await inFolder((folder) => {
    writeCatalog(folder, agents.slice(0, 1));
    const cache = join(folder, 'cache');
    build(folder, cache);
    const kept = join(cache, 'social-images');
    const [one = '', other = ''] = readdirSync(kept);
    cpSync(join(kept, one), join(kept, other));
    const images = imagesOf(build(folder, cache));
    assert.equal(images['og/longest.png'], images['og/catalog.png']);
  });
});

test('a font that replaces one of the same name is used, whatever the cache holds', async () => {
  await inFolder((folder) => {
    writeCatalog(folder, agents.slice(0, 1));
    const cache = join(folder, 'cache');
    const font = (name: string) => ({ 'templates/fonts/besley-basic.ttf': readFileSync(new URL(name, fontFolder)) });
    writeFiles(folder, font('besley-basic.ttf'));
    const before = imagesOf(build(folder, cache))['og/catalog.png'];
    writeFiles(folder, font('libre-franklin-basic.ttf'));
    const after = imagesOf(build(folder, cache))['og/catalog.png'];
    assert.not.equal(after, before);
    assert.equal(after, imagesOf(build(folder))['og/catalog.png']);
  });
});

test("a catalog's own template and font replace the program's", async () => {
  await inFolder((folder) => {
    writeCatalog(folder, agents.slice(0, 1));
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="315"><rect width="9" height="9"/></svg>\n';
    writeFiles(folder, {
      'templates/social-image.hbs': svg,
      'templates/fonts/own.ttf': readFileSync(new URL('besley-basic.ttf', fontFolder)),
    });
    const png = imagesOf(build(folder))['og/longest.png'];
    assert.equal([png?.readUInt32BE(16), png?.readUInt32BE(20)], [600, 315]);
  });
});

const fontNames = readdirSync(fontFolder)
  .filter((name) => name.endsWith('.ttf'))
  .sort();
const fonts = fontNames.map((name) => readFont(name, readFileSync(new URL(name, fontFolder))));
const serif = new Typesetter(fonts, 'besley-basic.ttf');

test('the renderer draws no line wider than measured', () => {
  const fontFiles = fontNames.map((name) => fileURLToPath(new URL(name, fontFolder)));
  for (const title of Object.values(titles)) {
    const text = serif.drawable(title);
    if (text === null) continue;
    const { size, lines } = serif.set(text, { width: 700, sizes: [{ size: 46, lines: 5 }] });
    for (const line of lines) {
      const words = line.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="100"><text x="0" y="60" font-family="Besley" font-size="${size}">${words}</text></svg>`;
      const box = new Resvg(svg, { font: { loadSystemFonts: false, fontFiles } }).innerBBox();
      assert.ok(box !== undefined && box.width > 0 && box.x + box.width <= 702, `${line}: ${box?.width}`);
    }
  }
});

test('symbols that no font has are left out; a text with such letters is not drawn', () => {
  assert.is(serif.drawable('🚀 Ship it 👩‍💻 today 1️⃣'), 'Ship it today 1');
  assert.is(serif.drawable('© Zoe\u0301'), '© Zoé');
  assert.is(serif.drawable('No.\u00a07  is\tnew'), 'No.\u00a07 is new');
  assert.is(serif.drawable('リリースノート'), null);
  assert.is(serif.drawable('🚀'), null);
});

test('texts break between words, after hyphens and between ideographs, and end with an ellipsis if they are too long', () => {
  const every = { name: 'every', advance: () => 1 };
  const set = (text: string, width: number, lines = 9) =>
    new Typesetter([every], 'every').set(text, { width, sizes: [{ size: 1, lines }] }).lines;
  assert.equal(set('one two-three four', 8), ['one two-', 'three', 'four']);
  assert.equal(set('翻訳者のための「一覧」です。', 4), ['翻訳者の', 'ための', '「一覧」', 'です。']);
  assert.equal(set('unbreakable', 4), ['unbr', 'eaka', 'ble']);
  assert.equal(set('unbreakab x yz', 4), ['unbr', 'eaka', 'b x', 'yz']);
  assert.equal(set('one two three four', 5, 2), ['one', 'two…']);
});

test('the cache is in the system’s folder for caches, unless CATALOG_CACHE names another', () => {
  const name = 'daily-agent-catalog';
  assert.is(cacheFolder({ CATALOG_CACHE: '/c', HOME: '/h' }, 'linux'), '/c');
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    const others = { XDG_CACHE_HOME: '/x', HOME: '/h', LOCALAPPDATA: '/l' };
    assert.is(cacheFolder({ CATALOG_CACHE: '/c', ...others }, platform), '/c');
    assert.is(cacheFolder({ CATALOG_CACHE: '', ...others }, platform), join(platform === 'win32' ? '/l' : '/x', name));
  }
  assert.is(cacheFolder({ XDG_CACHE_HOME: '/x', HOME: '/h' }, 'linux'), join('/x', name));
  assert.is(cacheFolder({ HOME: '/h' }, 'linux'), join('/h', '.cache', name));
  assert.is(cacheFolder({ HOME: '/h' }, 'darwin'), join('/h', 'Library', 'Caches', name));
  assert.is(cacheFolder({ LOCALAPPDATA: '/l' }, 'win32'), join('/l', name));
  assert.is(cacheFolder({}, 'linux'), null);
  // Empty variables count as missing.
  assert.is(cacheFolder({ XDG_CACHE_HOME: '', HOME: '/h' }, 'linux'), join('/h', '.cache', name));
  assert.is(cacheFolder({ HOME: '' }, 'linux'), null);
  assert.is(cacheFolder({ LOCALAPPDATA: '' }, 'win32'), null);
});

function build(folder: string, cache: string | null = null): Map<string, Buffer> {
  return renderCatalog({ cwd: folder, settings: loadSettings(folder, {}, {}), cache, today: '2026-02-01' }).rendered
    .files;
}

function imagesOf(files: Map<string, Buffer>): Record<string, Buffer> {
  return Object.fromEntries([...files].filter(([path]) => path.startsWith('og/')));
}

test.run();

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, writeCatalog } from '../../support/catalog.ts';
import { renderUndrawn } from '../../support/rich-catalog.ts';

/** Which texts a social image has, and where: read in the SVG before it is drawn. */

/** Titles with the size and the number of lines they are set in, and the baselines of the lines below, up to 574. */
const layouts: [title: string, size: number, lines: number, below: number[]][] = [
  ['Short', 92, 1, [346, 388, 430, 472]],
  ['Wide words of it Wide w', 92, 2, [445, 487, 529, 571]],
  ['Wide words of it Wide words of', 84, 2, [429, 471, 513, 555]],
  ['Wide words of it Wide words of it Wide w', 76, 3, [494, 536]],
  ['Words '.repeat(7).trim(), 68, 3, [470, 512, 554]],
  ['Wide words of it Wide words of it Wide words of it Wide word', 62, 3, [450, 492, 534]],
  [`${'Wide words of it '.repeat(4)}Wi`, 56, 3, [432, 474, 516, 558]],
  [`${'Wide words of it '.repeat(5)}Wide words of i`, 50, 4, [467, 509, 551]],
  [`${'Wide words of it '.repeat(6)}Wide wor`, 46, 4, [450, 492, 534]],
];

test('below a title of any size, the image has as many lines of a long excerpt as there is room for', () =>
  inFolder((folder) => {
    const excerpt = JSON.stringify('An excerpt of many words. '.repeat(11).trim());
    writeCatalog(
      folder,
      layouts.map(([title], index) => ({
        slug: `agent-${index}`,
        date: `2026-01-0${index + 1}`,
        front: { title: JSON.stringify(title), excerpt },
      })),
    );
    const files = renderUndrawn(folder, '2026-02-01');
    const drawn = layouts.map(([title], index) => {
      const [headline = '', below = ''] =
        String(files.get(`og/agent-${index}.png`))
          .match(/<text.*<\/text>/g)
          ?.slice(-2) ?? [];
      const baselines = (text: string) => [...text.matchAll(/ y="(\d+)"/g)].map(([, y]) => Number(y));
      assert.match(below, /…<\/tspan><\/text>$/, title);
      return [title, Number(/font-size="(\d+)"/.exec(headline)?.[1]), baselines(headline).length, baselines(below)];
    });
    assert.equal(drawn, layouts);
    // The lines are about equally long, although "Wide words of it" fits into each.
    const lines = String(files.get('og/agent-3.png')).match(/(?<=>)[^<]*Wide[^<]*/g);
    assert.equal(lines, ['Wide words of', 'it Wide words', 'of it Wide w']);
  }));

test('in a language whose letters no font has, the image shows what can be drawn: slug, host, category key and date', () =>
  inFolder((folder) => {
    const front = { title: '"リリースノート翻訳者"', excerpt: '"変更履歴を読みやすい文章にします。"' };
    writeCatalog(folder, [{ slug: 'release-notes-translator', date: '2026-01-05', front }], {
      language: 'ja',
      title: '毎日のプロンプト',
      tagline: '毎日ひとつ',
      description: '一日一つのプロンプト。',
      baseUrl: 'https://press.example/',
      categories: { coding: { label: '開発', description: '開発のために' } },
    });
    const drawn = (name: string) =>
      [...String(renderUndrawn(folder, '2026-02-01').get(`og/${name}.png`)).matchAll(/>([^<>]+)</g)]
        .map(([, text]) => text?.trim())
        .filter((text) => text !== '');
    assert.equal(drawn('release-notes-translator'), [
      'press.example',
      'No.',
      'coding',
      '2026-01-05',
      '1',
      'Release notes',
      'translator',
    ]);
    assert.equal(drawn('catalog'), ['press.example', 'press.example']);
  }));

/** Numbers with their size: a 9 is 0.5565 of it wide, and the margin 264 pixels. */
const numbers: [issue: number, size: number][] = [
  [9, 176],
  [99, 176],
  [999, 150],
  [9_999, 104],
  [99_999, 84],
];
test('a number of any length fits into the margin', () =>
  inFolder((folder) => {
    writeCatalog(
      folder,
      numbers.map(([issue], index) => ({
        slug: `agent-${issue}`,
        date: `2026-01-0${index + 1}`,
        front: { issue: String(issue) },
      })),
    );
    const files = renderUndrawn(folder, '2026-02-01');
    const drawn = numbers.map(([issue]) => {
      const svg = String(files.get(`og/agent-${issue}.png`));
      return [issue, Number(new RegExp(`font-size="(\\d+)"[^>]*>${issue}<`).exec(svg)?.[1])];
    });
    assert.equal(drawn, numbers);
  }));

test.run();

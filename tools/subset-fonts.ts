import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import subsetFont from 'subset-font';

/**
 * Reduces the fonts of the pages to the characters and features that they use. Run it when a font changes: `node
 * --import tsx tools/subset-fonts.ts`. The result is committed below templates/assets/fonts, so that builds do not
 * need the full fonts.
 *
 * Each font becomes three files: the characters of almost every page, the letters of German and Spanish with the euro sign, and
 * the rest of Latin-1. Browsers load the last two only for pages that use them (the `unicode-range` in style.css has to
 * match).
 *
 * The social images have separate fonts in templates/fonts, which no page loads. They have a single weight, because the
 * renderer does not support variable fonts, and more scripts, because it cannot draw missing characters. They are used
 * in the order of their names.
 */

const source = fileURLToPath(new URL('../node_modules/@fontsource-variable/', import.meta.url));
const target = fileURLToPath(new URL('../templates/assets/fonts/', import.meta.url));
const pictureTarget = fileURLToPath(new URL('../templates/fonts/', import.meta.url));

const basic = `${range(0x20, 0x7e)}\u00a0§©·×–—‘’“”…←→`;
const accented = 'ÄÖÜäöüßÁÉÍÓÚÑáéíóúñ¡¿€';
const extended = [...`${range(0xa1, 0xff)}ŒœŠšŸŽžﬁﬂ‚„†‡•‹›′″™−≤≥≠≈`]
  .filter((letter) => !`${basic}${accented}`.includes(letter))
  .join('');

const fonts = [
  { name: 'besley', file: 'besley/files/besley-latin-wght-normal.woff2', axes: { wght: 440 } },
  {
    name: 'libre-franklin',
    file: 'libre-franklin/files/libre-franklin-latin-wght-normal.woff2',
    axes: { wght: { min: 400, max: 700 } },
  },
  { name: 'red-hat-mono', file: 'red-hat-mono/files/red-hat-mono-latin-wght-normal.woff2', axes: { wght: 400 } },
];

const latin = `${range(0x20, 0x7e)}${range(0xa0, 0xff)}ıŒœ–—‘’‚“”„†‡•…‹›′″€™−`;
const centralEuropean = `${range(0x100, 0x130)}${range(0x132, 0x151)}${range(0x154, 0x17f)}ȘșȚțẀẁẂẃẄẅẞỲỳ`;
const everything = `${range(0x20, 0x17f)}ƠơƯưȘșȚț${range(0x370, 0x3ff)}${range(0x400, 0x4ff)}${range(0x1e80, 0x1ef9)}№`;

const pictureFonts = [
  { name: 'besley-basic', file: 'besley/files/besley-latin-wght-normal.woff2', wght: 440, characters: latin },
  {
    name: 'besley-extended',
    file: 'besley/files/besley-latin-ext-wght-normal.woff2',
    wght: 440,
    characters: centralEuropean,
  },
  {
    name: 'libre-franklin-basic',
    file: 'libre-franklin/files/libre-franklin-latin-wght-normal.woff2',
    wght: 560,
    characters: latin,
  },
  {
    name: 'libre-franklin-extended',
    file: 'libre-franklin/files/libre-franklin-latin-ext-wght-normal.woff2',
    wght: 560,
    characters: centralEuropean,
  },
  ...['cyrillic', 'cyrillic-ext', 'greek', 'vietnamese'].map((script) => ({
    name: `noto-serif-${script}`,
    file: `noto-serif/files/noto-serif-${script}-wght-normal.woff2`,
    wght: 440,
    characters: everything,
  })),
];

/** Kerning, and tabular figures. Other features of the fonts are not used and would add bytes. */
const keepFeatures = ['kern', 'mark', 'ccmp', 'tnum', 'lnum'];

mkdirSync(target, { recursive: true });
for (const { name, file, axes } of fonts) {
  for (const [part, characters] of Object.entries({ basic, accented, extended })) {
    const options = { targetFormat: 'woff2' as const, variationAxes: axes, keepFeatures };
    const bytes = await subsetFont(readFileSync(source + file), characters, options);
    writeFileSync(`${target}${name}-${part}.woff2`, bytes);
    process.stdout.write(`${name}-${part}.woff2 ${bytes.length} bytes\n`);
  }
}

mkdirSync(pictureTarget, { recursive: true });
for (const { name, file, wght, characters } of pictureFonts) {
  const options = { targetFormat: 'truetype' as const, variationAxes: { wght }, keepFeatures };
  const bytes = await subsetFont(readFileSync(source + file), characters, options);
  writeFileSync(`${pictureTarget}${name}.ttf`, bytes);
  process.stdout.write(`${name}.ttf ${bytes.length} bytes\n`);
}

function range(first: number, last: number): string {
  return String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, index) => first + index));
}

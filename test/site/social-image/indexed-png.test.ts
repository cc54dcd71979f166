import { crc32, inflateSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type IndexedImage, indexedImage, indexedPng, overlaid } from '../../../src/site/social-image/drawing.ts';

/** Images with few colors, of one layer or two, become PNG files with a palette. */

const [paper, ink] = [0xfbf9f4, 0x1d1a16];
const shades = Array.from({ length: 257 }, (_, index) => index * 256);

const images: [name: string, width: number, colors: number[]][] = [
  ['one pixel', 1, [ink]],
  ['equal rows', 2, [ink, paper, ink, paper, paper, paper, paper, paper]],
  ['rows that differ in the first or last pixel', 2, [ink, paper, paper, paper, paper, ink]],
  ['long runs of a color', 50, [...repeat(33, ink), ...repeat(50, paper), ...repeat(17, ink)]],
  ['256 colors', 64, shades.slice(0, 256)],
];
for (const [name, width, colors] of images) {
  test(`the PNG has all pixels of the image: ${name}`, () => {
    assert.equal(decode(indexedImage(imageOf(width, colors))), { width, height: colors.length / width, colors });
  });
}

test('an image of 257 colors gets no palette', () => {
  assert.is(indexedImage(imageOf(257, shades)), null);
});

const [clear, half] = [
  [0, 0, 0, 0],
  [100, 0, 20, 128],
] as const;
const solid = [200, 0, 0, 255] as const;
const layers: [name: string, below: number[], layer: (readonly number[])[], result: number[]][] = [
  [
    'transparent pixels show the image',
    [ink, paper, paper, ink, ink, ink],
    repeat(6, clear),
    [ink, paper, paper, ink, ink, ink],
  ],
  [
    'opaque pixels hide it',
    repeat(6, paper),
    [solid, clear, clear, clear, clear, solid],
    [0xc80000, ...repeat(4, paper), 0xc80000],
  ],
  [
    'pixels after four transparent ones',
    repeat(6, ink),
    [...repeat(4, clear), solid, clear],
    [...repeat(4, ink), 0xc80000, ink],
  ],
  // 127/255 of paper is 125, 124 and 121.5; of ink, it is 14.4, 12.9 and 11.
  [
    'half-transparent pixels are mixed',
    [paper, ink, ...repeat(4, paper)],
    [half, half, ...repeat(4, clear)],
    [0xe17c8d, 0x720d1f, ...repeat(4, paper)],
  ],
  [
    'equal rows over different ones',
    [paper, paper, paper, ink, ink, ink],
    [clear, half, clear, clear, half, clear],
    [paper, 0xe17c8d, paper, ink, 0x720d1f, ink],
  ],
];
for (const [name, below, layer, colors] of layers) {
  test(`a layer over an image: ${name}`, () => {
    const image = indexedImage(imageOf(3, below));
    const pixels = Uint8Array.from(layer.flat());
    assert.equal(decode(image && overlaid(image, { width: 3, height: 2, pixels })), { width: 3, height: 2, colors });
  });
}

test('two layers of 257 colors in all get no palette', () => {
  const image = indexedImage(imageOf(257, repeat(257, paper)));
  const layer = imageOf(
    257,
    shades.map((color, index) => (index === 0 ? 0 : color)),
  );
  assert.is(image && overlaid(image, layer), null);
});

function repeat<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value);
}

/** An opaque image of colors such as 0xRRGGBB. */
function imageOf(width: number, colors: readonly number[]) {
  const pixels = Uint8Array.from(colors.flatMap((color) => [color >> 16, color >> 8, color, 255]));
  return { width, height: colors.length / width, pixels };
}

/** Reads the PNG of an image: unfiltered, with a palette of 8 bits. */
function decode(image: IndexedImage | null) {
  const chunks = new Map<string, Buffer>();
  if (image === null) return null;
  const png = indexedPng(image);
  assert.is(png.toString('latin1', 0, 8), '\x89PNG\r\n\x1a\n');
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    assert.is(png.readUInt32BE(end), crc32(png.subarray(at + 4, end)));
    chunks.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, end));
    at = end + 4;
  }
  const [header, palette, data] = ['IHDR', 'PLTE', 'IDAT'].map((type) => chunks.get(type)) as [Buffer, Buffer, Buffer];
  assert.equal([...header.subarray(8)], [8, 3, 0, 0, 0]);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const rows = inflateSync(data);
  assert.is(rows.length, (width + 1) * height);
  const colors = Array.from(rows, (index, at) => (at % (width + 1) === 0 ? null : palette.readUIntBE(index * 3, 3)));
  return { width, height, colors: colors.filter((color) => color !== null) };
}

test.run();

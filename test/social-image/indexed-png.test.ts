import { crc32, inflateSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { indexedPng } from '../../src/social-image/indexed-png.ts';

/** Images with few colors become PNG files with a palette. */

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
    assert.equal(decode(indexedPng(imageOf(width, colors))), { width, height: colors.length / width, colors });
  });
}

test('an image of 257 colors gets no palette', () => {
  assert.is(indexedPng(imageOf(257, shades)), null);
});

function repeat(count: number, color: number): number[] {
  return Array.from({ length: count }, () => color);
}

/** An opaque image of colors such as 0xRRGGBB. */
function imageOf(width: number, colors: readonly number[]) {
  const pixels = Uint8Array.from(colors.flatMap((color) => [color >> 16, color >> 8, color, 255]));
  return { width, height: colors.length / width, pixels };
}

/** Reads an unfiltered PNG with a palette of 8 bits. */
function decode(png: Buffer | null) {
  const chunks = new Map<string, Buffer>();
  if (png === null) return null;
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

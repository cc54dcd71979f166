import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readFont } from '../../../src/site/social-image/renderer.ts';
import { Typesetter } from '../../../src/site/social-image/social-image.ts';

/** The widths of characters, as the tables of a font have them, and what lines make of them. */

const u16 = (...values: number[]) => values.flatMap((value) => [(value >> 8) & 0xff, value & 0xff]);
const u32 = (...values: number[]) => values.flatMap((value) => u16(Math.floor(value / 0x10000), value % 0x10000));

/**
 * The characters A to C are glyphs 1 to 3 by a difference, which overflows, and x and y are glyphs 2 and 4 by a list. The
 * last segment is the one that every such table ends with.
 */
const byDifference = 0x10000 - 64;
const format4 = [
  ...u16(4, 44, 0, 6, 0, 0, 0),
  ...u16(0x43, 0x79, 0xffff, 0),
  ...u16(0x41, 0x78, 0xffff),
  ...u16(byDifference, 0, 1),
  ...u16(0, 4, 0),
  ...u16(2, 4),
];
/** The character A is glyph 2, and two emoji are glyphs 1 and 2. */
const format12 = [...u16(12, 0), ...u32(40, 0, 2), ...u32(0x41, 0x41, 2), ...u32(0x1f600, 0x1f601, 1)];

/** A font of 1,000 units with four glyphs wide 0, 500, 600 and 700; those after them are as wide as the last. */
function fontWith(...maps: number[][]): Uint8Array {
  const head = [...Array<number>(18).fill(0), ...u16(1_000)];
  const hhea = [...Array<number>(34).fill(0), ...u16(4)];
  const hmtx = [0, 500, 600, 700].flatMap((width) => u16(width, 0));
  let at = 4 + maps.length * 8;
  const records = maps.flatMap((map) => {
    const record = [...u16(3, 1), ...u32(at)];
    at += map.length;
    return record;
  });
  const tables = { cmap: [...u16(0, maps.length), ...records, ...maps.flat()], head, hhea, hmtx };
  let offset = 12 + Object.keys(tables).length * 16;
  const directory = Object.entries(tables).flatMap(([tag, bytes]) => {
    const entry = [...Buffer.from(tag), ...u32(0, offset, bytes.length)];
    offset += bytes.length;
    return entry;
  });
  return Uint8Array.from([...u32(0x00010000), ...u16(4, 0, 0, 0), ...directory, ...Object.values(tables).flat()]);
}

const widths: [name: string, bytes: Uint8Array, expected: Record<string, number | undefined>][] = [
  [
    'a map of the first plane',
    fontWith(format4),
    { A: 0.5, B: 0.6, C: 0.7, D: undefined, x: 0.6, y: 0.7, z: undefined, '\uffff': undefined, '😀': undefined },
  ],
  [
    'a map of all of Unicode, which counts if there are both',
    fontWith(format4, format12),
    { A: 0.6, B: undefined, '😀': 0.5, '😁': 0.6, '😂': undefined },
  ],
];
for (const [name, bytes, expected] of widths) {
  test(`${name}: each character has its width, and others have none`, () => {
    // The font is a part of the memory, as a file that was read may be.
    const memory = Uint8Array.from([1, 2, 3, ...bytes, 4]);
    const font = readFont('small.ttf', memory.subarray(3, -1));
    const found = Object.keys(expected).map((character) => [character, font.advance(character)]);
    assert.equal(found, Object.entries(expected));
  });
}

test('a font without a table, or without a map of Unicode, is refused', () => {
  const bytes = fontWith(format4);
  assert.throws(() => readFont('cut.ttf', bytes.subarray(0, 60)));
  assert.throws(() => readFont('other.ttf', fontWith([...u16(6, 10, 0, 0x41, 0)])), /no character map for Unicode/);
  const renamed = Buffer.from(bytes);
  renamed.write('hmty', renamed.indexOf('hmtx'));
  assert.throws(() => readFont('renamed.ttf', renamed), /no table hmtx/);
});

test('a text is as wide as in its own font, and in the next one where that lacks a character', () => {
  const wide = { name: 'wide', advance: (character: string) => (character === 'b' ? undefined : 2) };
  const narrow = { name: 'narrow', advance: () => 1 };
  const lines = (name: string, text: string) =>
    new Typesetter([wide, narrow], name).set(text, { width: 4, sizes: [{ size: 1, lines: 9 }] }).lines;
  assert.equal(lines('wide', 'aaaa'), ['aa', 'aa']);
  assert.equal(lines('wide', 'bbbb'), ['bbbb']);
  assert.equal(lines('narrow', 'aaaa'), ['aaaa']);
});

test('an ellipsis follows the last word without a space', () => {
  const every = { name: 'every', advance: () => 1 };
  const set = (text: string, width: number) =>
    new Typesetter([every], 'every').set(text, { width, sizes: [{ size: 1, lines: 1 }] }).lines;
  assert.equal(set('a b cd', 3), ['a…']);
  assert.equal(set('a bc de', 4), ['a b…']);
});

test('a headline has lines of about the same length, and other texts have full ones', () => {
  const every = { name: 'every', advance: () => 1 };
  const set = (balanced: boolean) =>
    new Typesetter([every], 'every').set('aa bb cc dd ee', { width: 11, sizes: [{ size: 1, lines: 2 }], balanced })
      .lines;
  assert.equal(set(true), ['aa bb cc', 'dd ee']);
  assert.equal(set(false), ['aa bb cc dd', 'ee']);
});

test.run();

/** A font in templates/fonts. */
export interface FontFile {
  /** Without its folder, such as `besley-basic.ttf`. */
  name: string;
  /** On the disk. */
  path: string;
  bytes: Uint8Array;
}

/** The part of a font that text layout needs. */
export interface Font {
  /** The name of its file, such as `besley-basic.ttf`. */
  name: string;
  /** The width of a character divided by the font size, or undefined if the font lacks it. */
  advance(character: string): number | undefined;
}

/**
 * Reads the character widths of an OpenType font (ISO/IEC 14496-22: tables cmap, head, hhea and hmtx). Throws if the
 * bytes are not such a font.
 *
 * The libraries for this take a quarter of a second to load, longer than a small catalog takes to build.
 */
export function readFont(name: string, bytes: Uint8Array): Font {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tables = tablesOf(data);
  const unitsPerEm = data.getUint16(tables('head') + 18);
  const measured = data.getUint16(tables('hhea') + 34);
  const widths = tables('hmtx');
  const glyphs = glyphsByCodePoint(data, tables('cmap'));
  return {
    name,
    advance(character) {
      const glyph = glyphs.get(character.codePointAt(0) ?? 0);
      if (glyph === undefined) return undefined;
      return data.getUint16(widths + Math.min(glyph, measured - 1) * 4) / unitsPerEm;
    },
  };
}

/** Gives the offset of each table. */
function tablesOf(data: DataView): (tag: string) => number {
  const offsets = new Map<string, number>();
  for (let index = 0; index < data.getUint16(4); index += 1) {
    const record = 12 + index * 16;
    const tag = String.fromCharCode(...[0, 1, 2, 3].map((at) => data.getUint8(record + at)));
    offsets.set(tag, data.getUint32(record + 8));
  }
  return (tag) => {
    const offset = offsets.get(tag);
    if (offset === undefined) throw new Error(`The font has no table ${tag}.`);
    return offset;
  };
}

/** The glyph of every code point, from a subtable in format 12 (all of Unicode) or else 4 (the first plane). */
function glyphsByCodePoint(data: DataView, cmap: number): Map<number, number> {
  const subtables = Array.from(
    { length: data.getUint16(cmap + 2) },
    (_, index) => cmap + data.getUint32(cmap + 4 + index * 8 + 4),
  );
  const wanted = [12, 4].flatMap((format) => subtables.filter((at) => data.getUint16(at) === format));
  const [subtable] = wanted;
  if (subtable === undefined) throw new Error('The font has no character map for Unicode.');
  return data.getUint16(subtable) === 12 ? groupsOf(data, subtable) : segmentsOf(data, subtable);
}

function groupsOf(data: DataView, subtable: number): Map<number, number> {
  const glyphs = new Map<number, number>();
  for (let index = 0; index < data.getUint32(subtable + 12); index += 1) {
    const group = subtable + 16 + index * 12;
    const [first, last, glyph] = [data.getUint32(group), data.getUint32(group + 4), data.getUint32(group + 8)];
    for (let code = first; code <= last; code += 1) glyphs.set(code, glyph + code - first);
  }
  return glyphs;
}

function segmentsOf(data: DataView, subtable: number): Map<number, number> {
  const glyphs = new Map<number, number>();
  const size = data.getUint16(subtable + 6);
  const [ends, starts, deltas, ranges] = [14, 16 + size, 16 + size * 2, 16 + size * 3].map((at) => subtable + at) as [
    number,
    number,
    number,
    number,
  ];
  for (let at = 0; at < size; at += 2) {
    const [first, last] = [data.getUint16(starts + at), data.getUint16(ends + at)];
    const [delta, range] = [data.getUint16(deltas + at), data.getUint16(ranges + at)];
    for (let code = first; code <= last && code < 0xffff; code += 1) {
      const direct = range === 0 ? code : data.getUint16(ranges + at + range + (code - first) * 2);
      if (direct !== 0) glyphs.set(code, (direct + delta) & 0xffff);
    }
  }
  return glyphs;
}

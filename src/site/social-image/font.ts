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
    const entry = 12 + index * 16;
    const tag = String.fromCharCode(...[0, 1, 2, 3].map((at) => data.getUint8(entry + at)));
    offsets.set(tag, data.getUint32(entry + 8));
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
  const usable = [12, 4].flatMap((format) => subtables.filter((at) => data.getUint16(at) === format));
  const [subtable] = usable;
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

/** Text broken into lines, since the renderer wraps nothing. */
interface SetText {
  /** The font size, in pixels. */
  size: number;
  lines: string[];
}

interface Measure {
  /** The width of a line, in pixels. */
  width: number;
  /** Font sizes to try, largest first, in pixels, each with the most lines allowed at that size. */
  sizes: readonly { size: number; lines: number }[];
  /** Whether to make all lines about equally long, as suits a headline. @default false */
  balanced?: boolean;
}

const wide = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`;
const opening = '「『（【〈《';
const closing = '、。，．・：；？！」』）】〉》ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ々…';

/**
 * A piece of text that is not broken across lines: a word up to and including its hyphens, or an East Asian character
 * with the punctuation that must stay next to it (a small part of UAX 14).
 */
const unbreakable = new RegExp(
  `[${opening}]*[${wide}][${closing}]*|[^ ${wide}${opening}\\-–—]*[\\-–—]+|[^ ${wide}${opening}\\-–—]+|[${opening}]+| `,
  'gu',
);

/** Symbols, and characters that only change the look of the one before. */
const dispensable = /[\p{S}\p{Cf}\p{Me}\p{Variation_Selector}]/u;

const ellipsis = '…';

/**
 * Breaks texts into lines that fit, in one font. Characters that it lacks come from the first other font that has them.
 */
export class Typesetter {
  readonly #fonts: readonly Font[];
  /** The widths that were looked up; null if no font has the character. */
  readonly #advances = new Map<string, number | null>();

  /** `name` is the font's file name. `fonts` are in the order in which the renderer falls back on them. */
  constructor(fonts: readonly Font[], name: string) {
    this.#fonts = [...fonts.filter((font) => font.name === name), ...fonts.filter((font) => font.name !== name)];
  }

  /**
   * A text as it can be drawn, or null if the fonts lack some of its letters. Symbols that no font has, such as emoji,
   * are left out: a text can be read without them.
   */
  drawable(text: string): string | null {
    let kept = '';
    for (const character of text.normalize('NFC').replace(/[^\S\u00a0]+/gu, ' ')) {
      if (this.#advance(character) !== null) kept += character;
      else if (!dispensable.test(character)) return null;
    }
    kept = kept.replace(/ +/g, ' ').trim();
    return kept === '' ? null : kept;
  }

  /**
   * Breaks a drawable text into lines at the largest size at which all of it fits without breaking a word. At the
   * smallest size, words are broken too, and a text that is still too long ends with an ellipsis.
   */
  set(text: string, { width, sizes, balanced = false }: Measure): SetText {
    const pieces = text.match(unbreakable) ?? [];
    for (const { size, lines: most } of sizes) {
      const lines = this.#wrap(pieces, width / size, false);
      if (lines === null || lines.length > most) continue;
      return { size, lines: balanced ? this.#balance(pieces, lines, width / size) : lines };
    }
    const { size, lines: most } = sizes.at(-1) ?? { size: 0, lines: 0 };
    const lines = this.#wrap(pieces, width / size, true) ?? [];
    if (lines.length <= most) return { size, lines };
    const kept = lines.slice(0, most);
    return { size, lines: kept.map((line, index) => (index === most - 1 ? this.#shorten(line, width / size) : line)) };
  }

  #advance(character: string): number | null {
    const cached = this.#advances.get(character);
    if (cached !== undefined) return cached;
    const advance = this.#fonts.map((font) => font.advance(character)).find((width) => width !== undefined) ?? null;
    this.#advances.set(character, advance);
    return advance;
  }

  /** The width of a text, or of a longer one if `before` is the width of its beginning. */
  #widthOf(text: string, before = 0): number {
    let width = before;
    for (const character of text) width += this.#advance(character) ?? 1;
    return width;
  }

  /** Lines of at most `width` times the font size. A wider piece is broken, or makes the result null. */
  #wrap(pieces: readonly string[], width: number, breakWords: boolean): string[] | null {
    const lines: string[] = [];
    let line = '';
    let taken = 0;
    for (const piece of pieces) {
      // Spaces at the end of a line need no room.
      const visible = piece.trimEnd();
      const end = this.#widthOf(visible, taken);
      if (visible === '' || end <= width) {
        line += piece;
        taken = this.#widthOf(piece.slice(visible.length), end);
        continue;
      }
      if (line !== '') lines.push(line.trimEnd());
      line = piece.trimStart();
      taken = this.#widthOf(line);
      if (taken <= width) continue;
      if (!breakWords) return null;
      const parts = this.#breakWord(line, width);
      line = parts.pop() ?? '';
      taken = this.#widthOf(line);
      lines.push(...parts);
    }
    if (line.trim() !== '') lines.push(line.trimEnd());
    return lines;
  }

  #breakWord(word: string, width: number): string[] {
    const parts: string[] = [];
    let rest = '';
    for (const character of word) {
      if (rest !== '' && this.#widthOf(rest + character) > width) {
        parts.push(rest);
        rest = '';
      }
      rest += character;
    }
    return [...parts, rest];
  }

  /** Sets the same number of lines in the narrowest width that allows it. */
  #balance(pieces: readonly string[], lines: string[], width: number): string[] {
    let best = lines;
    let [low, high] = [width / 2, width];
    for (let step = 0; step < 7; step += 1) {
      const middle = (low + high) / 2;
      const narrower = this.#wrap(pieces, middle, false);
      if (narrower === null || narrower.length > lines.length) low = middle;
      else [best, high] = [narrower, middle];
    }
    return best;
  }

  #shorten(line: string, width: number): string {
    const characters = [...line];
    while (characters.length > 0 && this.#widthOf(characters.join('').trimEnd() + ellipsis) > width) characters.pop();
    return characters.join('').trimEnd() + ellipsis;
  }
}

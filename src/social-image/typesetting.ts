import type { Font } from './font.ts';

/** Text that stands in a picture: the renderer wraps nothing itself. */
export interface SetText {
  /** Of the font, in pixels. */
  size: number;
  lines: string[];
}

export interface Measure {
  /** The width of a line, in pixels. */
  width: number;
  /** Sizes of the font to try, largest first, in pixels, each with the most lines that there may be at it. */
  sizes: readonly { size: number; lines: number }[];
  /** Whether all lines become about as long as each other, as suits a headline. */
  balanced?: boolean;
}

/** What sets texts in one font; what that lacks is taken from the first of the other fonts that has it. */
export interface Typesetter {
  /**
   * A text as it can be drawn, or null where letters of it can't. Symbols that no font has, such as emoji, are left
   * out: a text reads without them, but not without its letters.
   */
  drawable(text: string): string | null;
  /**
   * Breaks a drawable text into lines at the largest size at which all of it fits without breaking a word; at the
   * smallest one words are broken too, and what is too long ends with an ellipsis.
   */
  set(text: string, measure: Measure): SetText;
}

const wide = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`;
const opening = '「『（【〈《';
const closing = '、。，．・：；？！」』）】〉》ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ々…';

/**
 * What stays on one line: a word up to and with its hyphens, or an East Asian character with the punctuation that may
 * not be parted from it. (A small part of UAX 14.)
 */
const unbreakable = new RegExp(
  `[${opening}]*[${wide}][${closing}]*|[^ ${wide}${opening}\\-–—]*[\\-–—]+|[^ ${wide}${opening}\\-–—]+|[${opening}]+| `,
  'gu',
);

/** Symbols, and what only changes the look of the character before it. */
const dispensable = /[\p{S}\p{Cf}\p{Me}\p{Variation_Selector}]/u;

const ellipsis = '…';

/** A typesetter for the font called `name`. The fonts are in the order in which the renderer falls back on them. */
export function typesetter(fonts: readonly Font[], name: string): Typesetter {
  const ordered = [...fonts.filter((font) => font.name === name), ...fonts.filter((font) => font.name !== name)];
  const advances = new Map<string, number | undefined>();

  function advance(character: string): number | undefined {
    if (!advances.has(character)) {
      const found = ordered.map((font) => font.advance(character)).find((width) => width !== undefined);
      advances.set(character, found);
    }
    return advances.get(character);
  }

  function widthOf(text: string): number {
    let width = 0;
    for (const character of text) width += advance(character) ?? 1;
    return width;
  }

  /** Lines of at most `width` parts of the font's size; a piece that is wider is broken, or makes the answer null. */
  function wrap(pieces: readonly string[], width: number, breakWords: boolean): string[] | null {
    const lines: string[] = [];
    let line = '';
    for (const piece of pieces) {
      if (widthOf(`${line}${piece}`.trimEnd()) <= width) {
        line += piece;
        continue;
      }
      if (line !== '') lines.push(line.trimEnd());
      line = piece.trimStart();
      if (widthOf(line) <= width) continue;
      if (!breakWords) return null;
      let rest = '';
      for (const character of line) {
        if (rest !== '' && widthOf(rest + character) > width) {
          lines.push(rest);
          rest = '';
        }
        rest += character;
      }
      line = rest;
    }
    if (line.trim() !== '') lines.push(line.trimEnd());
    return lines;
  }

  /** The same number of lines in the narrowest measure that gives it. */
  function balance(pieces: readonly string[], lines: string[], width: number): string[] {
    let best = lines;
    let [low, high] = [width / 2, width];
    for (let step = 0; step < 7; step += 1) {
      const middle = (low + high) / 2;
      const narrower = wrap(pieces, middle, false);
      if (narrower === null || narrower.length > lines.length) low = middle;
      else [best, high] = [narrower, middle];
    }
    return best;
  }

  function shorten(line: string, width: number): string {
    const characters = [...line];
    while (characters.length > 0 && widthOf(characters.join('').trimEnd() + ellipsis) > width) characters.pop();
    return characters.join('').trimEnd() + ellipsis;
  }

  return {
    drawable(text) {
      let kept = '';
      for (const character of text.normalize('NFC').replace(/[^\S\u00a0]+/gu, ' ')) {
        if (advance(character) !== undefined) kept += character;
        else if (!dispensable.test(character)) return null;
      }
      kept = kept.replace(/ +/g, ' ').trim();
      return kept === '' ? null : kept;
    },

    set(text, { width, sizes, balanced = false }) {
      const pieces = text.match(unbreakable) ?? [];
      for (const { size, lines: most } of sizes) {
        const lines = wrap(pieces, width / size, false);
        if (lines === null || lines.length > most) continue;
        return { size, lines: balanced ? balance(pieces, lines, width / size) : lines };
      }
      const { size, lines: most } = sizes.at(-1) ?? { size: 0, lines: 0 };
      const lines = wrap(pieces, width / size, true) ?? [];
      if (lines.length <= most) return { size, lines };
      const kept = lines.slice(0, most);
      return { size, lines: kept.map((line, index) => (index === most - 1 ? shorten(line, width / size) : line)) };
    },
  };
}

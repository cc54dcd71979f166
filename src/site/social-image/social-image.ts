import { onceForEach } from '../../lib/lazy.ts';
import type { Settings } from '../../schema/settings.ts';
import { listed, none, type Output } from '../output.ts';
import { accentColor } from '../shared/page.ts';
import { agentImage, type PublishedAgent, publicationImage, type Site } from '../site.ts';

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

/** Such a piece with its widths, divided by the font size. */
interface Piece {
  text: string;
  /** Whether it is only spaces. */
  blank: boolean;
  /** The width without spaces at the end, and with them. */
  visible: number;
  whole: number;
}

/** Symbols, and characters that only change the look of the one before. */
const dispensable = /[\p{S}\p{Cf}\p{Me}\p{Variation_Selector}]/u;

const ellipsis = '…';

/**
 * Breaks texts into lines that fit, in one font. Characters that it lacks come from the first other font that has them.
 */
export class Typesetter {
  readonly #fonts: Site['images']['fonts'];
  /** The width of a character, looked up once; null if no font has it. */
  readonly #advance = onceForEach((character: string) => {
    return this.#fonts.map((font) => font.advance(character)).find((width) => width !== undefined) ?? null;
  });

  /** `name` is the font's file name. `fonts` are in the order in which the renderer falls back on them. */
  constructor(fonts: Site['images']['fonts'], name: string) {
    this.#fonts = [...fonts.filter((font) => font.name === name), ...fonts];
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
   * Breaks a drawable text into lines, since the renderer wraps nothing, at the largest size at which all of it fits without
   * breaking a word. At the smallest size, words are broken too, and a text that is still too long ends with an ellipsis.
   */
  set(text: string, { width, sizes, balanced = false }: Measure) {
    const pieces = (text.match(unbreakable) ?? []).map((piece) => this.#measured(piece));
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

  #widthOf(text: string): number {
    let width = 0;
    for (const character of text) width += this.#advance(character) ?? 1;
    return width;
  }

  #measured(text: string): Piece {
    const visible = text.trimEnd();
    const width = this.#widthOf(visible);
    return { text, blank: visible === '', visible: width, whole: width + this.#widthOf(text.slice(visible.length)) };
  }

  /** Lines of at most `width` times the font size. A wider piece is broken, or makes the result null. */
  #wrap(pieces: readonly Piece[], width: number, breakWords: boolean): string[] | null {
    const lines: string[] = [];
    let line = '';
    let taken = 0;
    for (const { text, blank, visible, whole } of pieces) {
      // Spaces at the end of a line need no room.
      if (blank || taken + visible <= width) {
        line += text;
        taken += whole;
        continue;
      }
      if (line !== '') lines.push(line.trimEnd());
      line = text.trimStart();
      taken = line === text ? whole : this.#widthOf(line);
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
  #balance(pieces: readonly Piece[], lines: string[], width: number): string[] {
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

/** The typesetters of the template's two fonts. */
type Fonts = Record<'serif' | 'sans', Typesetter>;

/** Where the template places text, in pixels: the margin for the number, and the column beside it. */
const margin = { width: 264 };
const column = { width: 736, top: 206, bottom: 574 };
const headline = {
  sizes: [
    { size: 92, lines: 2 },
    { size: 84, lines: 2 },
    { size: 76, lines: 3 },
    { size: 68, lines: 3 },
    { size: 62, lines: 3 },
    { size: 56, lines: 4 },
    { size: 50, lines: 4 },
    { size: 46, lines: 4 },
  ],
  leading: 1.08,
  ascent: 0.78,
};
const standfirst = { size: 29, leading: 42, gap: 50, lines: 4 };

/** Lays out the image of an agent: the values of the template. The fonts have every character of every text. */
function layOutAgent({ serif, sans }: Fonts, { settings, dates }: Site, agent: PublishedAgent) {
  const { slug, title, excerpt, issue, date, category, document } = agent;
  const small = [24, 22, 20, 18];
  return {
    color: accentColor(settings, category),
    // Top left.
    name: line(sans, sans.drawable(settings.title) ?? hostOf(settings), 520, [28, 25, 22]),
    // Top right.
    aside: optionalLine(sans, settings.tagline, 460, [22, 20, 18]),
    // In the margin; without it, the template draws the publication's mark there.
    issue: {
      number: line(serif, String(issue), margin.width, [176, 150, 124, 104, 84, 60]),
      day: line(sans, sans.drawable(dates.weekday(date)) ?? '', margin.width, small),
      date: line(sans, sans.drawable(dates.longDate(date)) ?? date, margin.width, small),
    },
    // Above the headline.
    kicker: line(sans, sans.drawable(document.categoryLabel) ?? category, column.width, [28, 24]),
    ...article(serif, serif.drawable(title) ?? wordsOf(slug), serif.drawable(excerpt)),
  };
}

/** Lays out the image of the publication, for all pages but the pages of agents. */
function layOutPublication({ serif, sans }: Fonts, settings: Settings) {
  const host = hostOf(settings);
  return {
    color: accentColor(settings, ''),
    name: line(sans, host, column.width, [28, 25, 22]),
    aside: null,
    issue: null,
    kicker: optionalLine(sans, settings.tagline, column.width, [28, 24]),
    ...article(serif, serif.drawable(settings.title) ?? host, serif.drawable(settings.description)),
  };
}

/** Shown instead of a title that the fonts lack letters of; always in Latin letters. */
function hostOf({ baseUrl }: Settings): string {
  return new URL(baseUrl).host;
}

/**
 * The headline, and as much of the text below it as there is room for. `y` is the baseline, in pixels from the top of the
 * image.
 */
function article(serif: Typesetter, title: string, text: string | null) {
  const { size, lines } = serif.set(title, { width: column.width, sizes: headline.sizes, balanced: true });
  const first = column.top + size * headline.ascent;
  const placed = lines.map((text, index) => ({ text, y: Math.round(first + index * size * headline.leading) }));
  const begin = (placed.at(-1)?.y ?? column.top) + size * 0.2 + standfirst.gap;
  const room = Math.min(standfirst.lines, 1 + Math.floor((column.bottom - begin) / standfirst.leading));
  const below =
    text === null || room < 1
      ? []
      : serif.set(text, { width: column.width, sizes: [{ size: standfirst.size, lines: room }] }).lines;
  return {
    headline: { size, lines: placed },
    standfirst: {
      size: standfirst.size,
      lines: below.map((text, index) => ({ text, y: Math.round(begin + index * standfirst.leading) })),
    },
  };
}

/** A text in one line, at the largest of some font sizes in pixels. */
function line(font: Typesetter, text: string, width: number, sizes: readonly number[]) {
  const { size, lines } = font.set(text, { width, sizes: sizes.map((size) => ({ size, lines: 1 })) });
  return { size, text: lines.join('') };
}

function optionalLine(font: Typesetter, text: string, width: number, sizes: readonly number[]) {
  const drawable = font.drawable(text);
  return drawable === null ? null : line(font, drawable, width, sizes);
}

/** The words of a slug as a headline, for a title that no font has the letters of. */
function wordsOf(slug: string): string {
  const words = slug.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The social images: 1200×630 pixels, which no site that shows links crops. */
export const socialImage: Output = {
  path: 'og/{slug}.png',
  purpose: 'The social image of an agent, or of the publication (Open Graph)',
  inThreads: true,
  *files(site) {
    const { settings, agents, images, templates } = site;
    const fonts = {
      serif: new Typesetter(images.fonts, 'besley-basic.ttf'),
      sans: new Typesetter(images.fonts, 'libre-franklin-basic.ttf'),
    };
    const draw = (image: object) => images.render(templates.render('social-image', image));
    for (const agent of agents) {
      const render = () => draw(layOutAgent(fonts, site, agent));
      yield { path: agentImage(agent.slug), inputs: listed([agent]), agent: agent.slug, render };
    }
    yield { path: publicationImage, inputs: none(), render: () => draw(layOutPublication(fonts, settings)) };
  },
};

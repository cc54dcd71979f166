import { createHash } from 'node:crypto';
import { readFileSync, statSync, utimesSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { constants, crc32, deflateSync } from 'node:zlib';
import { OperationError } from '../../lib/errors.ts';
import { makeFolder, removeUnused, replaceFile } from '../../lib/files.ts';
import { programFolder, programVersion } from '../../program.ts';
import { ContentError } from '../../schema/diagnostics/content-error.ts';
import { diagnose } from '../../schema/diagnostics/diagnostic.ts';
import { templateMessages } from '../../schema/messages/files.ts';
import { JobThreads } from '../threads.ts';

/** An image: a byte each of red, green, blue and alpha for every pixel, from the top left. Alpha has been multiplied in. */
interface Pixels {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** An image of at most 256 colors, without transparency. */
export interface IndexedImage {
  width: number;
  height: number;
  /** For each row, a zero, as PNG has it, and the number of each pixel's color. */
  rows: Buffer;
  /** The colors: red in the lowest byte, then green, blue and alpha, which is not used. */
  palette: readonly number[];
}

/** Numbers the colors of an opaque image; null if it has more than 256. */
export function indexedImage({ width, height, pixels }: Pixels): IndexedImage | null {
  const { bytes, colors } = viewsOf(pixels);
  const palette = new Map<number, number>();
  const rows = Buffer.alloc((width + 1) * height);
  for (let begin = 0, first = 1; begin < colors.length; begin += width, first += width + 1) {
    const end = begin + width;
    const above = begin - width;
    if (begin > 0 && bytes.compare(bytes, above * 4, begin * 4, begin * 4, end * 4) === 0) {
      rows.copyWithin(first, first - width - 1, first - 1);
    } else if (!indexRow(colors.subarray(begin, end), palette, rows.subarray(first, first + width))) return null;
  }
  return { width, height, rows, palette: [...palette.keys()] };
}

/** Draws a layer of the same size over an image; null if the result has more than 256 colors. */
export function overlaid(below: IndexedImage, { width, height, pixels }: Pixels): IndexedImage | null {
  const { bytes, colors } = viewsOf(pixels);
  const rows = Buffer.from(below.rows);
  const palette = [...below.palette];
  const mix = mixer(palette);
  const blank = Buffer.alloc(width * 4);
  for (let row = 0; row < height; row += 1) {
    const [begin, end] = [row * width, (row + 1) * width];
    if (bytes.compare(blank, 0, width * 4, begin * 4, end * 4) === 0) continue;
    // Rows have one more byte than pixels.
    const shift = row + 1;
    let before = 0;
    let belowBefore = -1;
    let result = 0;
    for (let at = begin; at < end; at += 1) {
      const color = colors[at] ?? 0;
      if (color === 0) {
        // Most of a layer is transparent.
        if (((colors[at + 1] ?? 0) | (colors[at + 2] ?? 0) | (colors[at + 3] ?? 0)) === 0) at += 3;
        continue;
      }
      const number = rows[at + shift] ?? 0;
      if (color !== before || number !== belowBefore) result = mix(color, number);
      rows[at + shift] = result;
      before = color;
      belowBefore = number;
    }
    if (palette.length > 256) return null;
  }
  return { width, height, rows, palette };
}

/** A pixel's color is a signed number, since V8 allocates an object for an integer above 2³¹. */
function viewsOf(pixels: Uint8Array): { bytes: Buffer; colors: Int32Array } {
  const { buffer, byteOffset, byteLength } = pixels;
  return {
    bytes: Buffer.from(buffer, byteOffset, byteLength),
    colors: new Int32Array(buffer, byteOffset, byteLength / 4),
  };
}

/** Numbers the colors of a row. New colors get the next number. Returns false if there are too many. */
function indexRow(colors: Int32Array, palette: Map<number, number>, row: Uint8Array): boolean {
  for (let start = 0, end = 0; start < colors.length; start = end) {
    const color = colors[start] ?? 0;
    for (end = start + 1; end < colors.length && colors[end] === color; ) end += 1;
    let index = palette.get(color);
    if (index === undefined) {
      index = palette.size;
      if (index > 255) return false;
      palette.set(color, index);
    }
    // Calling `fill` takes longer than setting a few bytes.
    if (end - start > 32) row.fill(index, start, end);
    else for (let at = start; at < end; at += 1) row[at] = index;
  }
  return true;
}

/**
 * Returns a function that draws a color over one with a number, and returns the number of the result. New colors are
 * added to the palette.
 */
function mixer(palette: number[]): (color: number, below: number) => number {
  const results = palette.map(() => new Map<number, number>());
  return (color, below) => {
    const cached = results[below]?.get(color);
    if (cached !== undefined) return cached;
    const mixed = over(color, palette[below] ?? 0);
    const index = palette.indexOf(mixed);
    const result = index === -1 ? palette.push(mixed) - 1 : index;
    results[below]?.set(color, result);
    return result;
  };
}

/** The color that results where a color is drawn over an opaque one, rounded about as resvg does. */
function over(color: number, below: number): number {
  const hidden = color >>> 24;
  const channel = (shift: number) => {
    const shown = (((below >>> shift) & 255) * (255 - hidden) + 128) >> 8;
    return (((color >>> shift) & 255) + shown) << shift;
  };
  return channel(0) | channel(8) | channel(16) | (255 << 24);
}

/** Divides a document. What comes before it is drawn once for all images in which it is the same. */
const mark = '<!--layer-->';

/** How many lower layers are kept, each with a byte for every pixel. */
const most = 16;

/** Draws SVG documents that a comment divides into two layers. */
export class Layers {
  readonly #render: (svg: string) => Pixels;
  /** The last lower layers, by their document, with the last used one at the end. */
  readonly #lower = new Map<string, IndexedImage>();

  constructor(render: (svg: string) => Pixels) {
    this.#render = render;
  }

  /** Returns null if the document is not divided, or can only be drawn as a whole. */
  draw(svg: string): IndexedImage | null {
    const [first = '', second] = svg.split(mark);
    if (second === undefined) return null;
    try {
      const below = this.#drawLower(`${first}</svg>`);
      const [root = ''] = /<svg[^>]*>/.exec(first) ?? [];
      return below && overlaid(below, this.#render(root + second));
    } catch {
      // The mark is not between two elements of the root, or there are two marks, or the document is malformed.
      return null;
    }
  }

  #drawLower(svg: string): IndexedImage | null {
    const layer = this.#lower.get(svg) ?? indexedImage(this.#render(svg));
    if (layer === null) return null;
    this.#lower.delete(svg);
    this.#lower.set(svg, layer);
    const [oldest = ''] = this.#lower.keys();
    if (this.#lower.size > most) this.#lower.delete(oldest);
    return layer;
  }
}

/**
 * Encodes an image as a PNG with a palette (PNG, third edition, color type 3). The file is half as large as one in full
 * color, and takes a tenth of the time.
 *
 * The bytes are the same on every machine: of zlib's strategies, only Z_RLE runs the same code in every version of Node
 * and on every processor.
 */
export function indexedPng({ width, height, rows, palette }: IndexedImage): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colors = Uint8Array.from(palette.flatMap((color) => [color, color >>> 8, color >>> 16]));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', colors),
    chunk('IDAT', deflateSync(rows, { level: 9, strategy: constants.Z_RLE })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}

const require = createRequire(import.meta.url);

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
  const ends = subtable + 14;
  const starts = ends + size + 2;
  const deltas = starts + size;
  const ranges = deltas + size;
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

/** Bytes that another thread makes. `done` gets them, at the latest when the build waits for all of them. */
export type Deferred = (done: (bytes: Uint8Array) => void) => void;

/** Draws social images. */
export interface ImageRenderer {
  /** The fonts that it draws with, in the order in which it falls back on them. */
  fonts: readonly Font[];
  /**
   * Draws an SVG document as a PNG. The same document always gives the same bytes. Unless they are cached, other threads
   * draw while this one goes on.
   */
  render(svg: string): Uint8Array | Deferred;
  /** Whether an image can be drawn at once. If not, `render` may wait for earlier ones. */
  isReady(): boolean;
  /**
   * Waits for all images. Throws ContentError if a document is malformed, and OperationError if nothing can be drawn on
   * this machine. `render` may throw the same for earlier documents.
   */
  finish(): void;
  /** Stops drawing. */
  close(): void;
}

/**
 * Draws with these fonts only, so that every machine draws the same.
 *
 * Images that the folder `cache` has for the same SVG, fonts, program and version of resvg are not drawn again. resvg
 * is loaded only if an image is missing.
 *
 * Throws ContentError for a file that is not a font.
 */
export function imageRenderer(files: readonly FontFile[], cache: string | null): ImageRenderer {
  const cached = cache === null ? null : imageCache(cache);
  const fonts = files.map(fontOf);
  const drawing = openDrawing(files.map(({ path }) => path));
  const resvg = require('@resvg/resvg-js/package.json') as { version: string };
  const tools = createHash('sha256').update(`${programVersion}\0${resvg.version}`);
  for (const { name, bytes } of files) tools.update(`\0${name}\0${bytes.length}\0`).update(bytes);

  return {
    fonts,
    render(svg) {
      const key = tools.copy().update(`\0${svg}`).digest('hex');
      const stored = cached?.read(key);
      if (stored) return stored;
      return (done) =>
        drawing.send(svg, (drawn) => {
          const image = imageOf(drawn);
          cached?.write(key, image);
          done(image);
        });
    },
    isReady: () => drawing.isReady(),
    finish: () => drawing.finish(),
    close: () => drawing.stop(),
  };
}

/** Draws nothing: texts are laid out, and the files are empty. */
export function emptyImages(files: readonly FontFile[]): ImageRenderer {
  return {
    fonts: files.map(fontOf),
    render: () => new Uint8Array(),
    isReady: () => true,
    finish: () => {},
    close: () => {},
  };
}

function imageOf(drawn: Drawn): Uint8Array {
  if ('image' in drawn) return drawn.image;
  const { failure, message } = drawn;
  if (failure === 'missing') {
    throw new OperationError(
      `resvg, which draws the social images, can't be loaded on this machine (${process.platform}, ${process.arch}): ${message} Install the optional packages as well: npm ci --include=optional.`,
    );
  }
  throw new ContentError([
    diagnose({
      code: 'template/picture',
      file: 'templates/social-image.hbs',
      ...templateMessages.socialImageNotDrawn(message),
    }),
  ]);
}

function fontOf({ name, bytes }: FontFile): Font {
  try {
    return readFont(name, bytes);
  } catch {
    throw new ContentError([
      diagnose({ code: 'template/font', file: `templates/fonts/${name}`, ...templateMessages.notAFont(name) }),
    ]);
  }
}

/** How often the time of the last use is recorded, in milliseconds: once a day. */
const dayMs = 86_400_000;

/** The length of the hash that follows the image in a file. Image viewers ignore it. */
const hashLength = 32;

/**
 * Keeps drawn images between builds in `folder`, which need not exist, by a key derived from their content. If a cached
 * image cannot be read, is damaged, or cannot be written, the image is drawn again, and the build is otherwise the same.
 * Nothing here throws.
 */
export function imageCache(folder: string) {
  const images = join(folder, 'social-images');
  const pathOf = (key: string) => join(images, `${key}.png`);
  let writable: boolean | undefined;

  /** Makes the folder and removes images that were not used for a long time. */
  function open(): boolean {
    try {
      makeFolder(images);
      removeUnused(images);
      return true;
    } catch {
      return false;
    }
  }

  return {
    read(key: string): Buffer | null {
      const path = pathOf(key);
      try {
        const stored = readFileSync(path);
        const image = stored.subarray(0, -hashLength);
        if (!sha256(image).equals(stored.subarray(-hashLength))) return null;
        recordUse(path);
        return image;
      } catch {
        return null;
      }
    },

    write(key: string, image: Uint8Array): void {
      writable ??= open();
      if (!writable) return;
      try {
        replaceFile(pathOf(key), Buffer.concat([image, sha256(image)]));
      } catch {
        writable = false;
      }
    },
  };
}

function recordUse(path: string): void {
  const now = Date.now();
  if (now - statSync(path).mtimeMs < dayMs) return;
  try {
    utimesSync(path, now / 1000, now / 1000);
  } catch {
    // The cache is read-only.
  }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** The outcome of drawing an SVG document. */
export type Drawn = { image: Uint8Array } | { failure: 'missing' | 'refused'; message: string };

/** Starts drawing SVG documents as PNGs with some fonts, in as many threads as there are cores. */
export function openDrawing(fontFiles: readonly string[]): JobThreads<string, Drawn> {
  // resvg's memory allocator, mimalloc, then keeps freed memory for the next image. By default, it returns it to the
  // system, which takes as long as half of the drawing. It reads this variable of the process when resvg is loaded.
  process.env.MIMALLOC_PURGE_DELAY ??= '-1';
  return new JobThreads({
    script: join(programFolder, 'lib/site/social-image/drawing-worker.js'),
    input: fontFiles,
    most: availableParallelism(),
    // One is drawn, and the next is ready.
    each: 2,
    late: 'A social image was not drawn',
  });
}

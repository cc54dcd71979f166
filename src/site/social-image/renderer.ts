import { createHash } from 'node:crypto';
import { readFileSync, statSync, utimesSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { OperationError, orElse, succeeds } from '../../lib/errors.ts';
import { makeFolder, removeUnused, replaceFile } from '../../lib/files.ts';
import { programFolder, programVersion } from '../../program.ts';
import { ContentError } from '../../schema/diagnostics/content-error.ts';
import { diagnose } from '../../schema/diagnostics/diagnostic.ts';
import { templateMessages } from '../../schema/messages/files.ts';
import type { TemplateFiles } from '../shared/templates.ts';
import { JobThreads } from '../threads.ts';
import { type Drawn, drawer } from './drawing.ts';

const require = createRequire(import.meta.url);

/** The part of a font that text layout needs. */
interface Font {
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
 * Without `draws`, nothing is drawn: texts are laid out, and the files are empty.
 *
 * Throws ContentError for a file that is not a font.
 */
export function imageRenderer(files: TemplateFiles['fonts'], cache: string | null, draws: boolean): ImageRenderer {
  const fonts = files.map(fontOf);
  if (!draws) {
    return { fonts, render: () => new Uint8Array(), isReady: () => true, finish: () => {}, close: () => {} };
  }
  const cached = cache === null ? null : imageCache(cache);
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

function fontOf({ name, bytes }: TemplateFiles['fonts'][number]): Font {
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

  return {
    read: (key: string): Buffer | null =>
      orElse(() => {
        const path = pathOf(key);
        const stored = readFileSync(path);
        const image = stored.subarray(0, -hashLength);
        if (!sha256(image).equals(stored.subarray(-hashLength))) return null;
        recordUse(path);
        return image;
      }, null),

    write(key: string, image: Uint8Array): void {
      writable ??= succeeds(() => {
        makeFolder(images);
        // Images that were not used for a long time.
        removeUnused(images);
      });
      if (writable) writable = succeeds(() => replaceFile(pathOf(key), Buffer.concat([image, sha256(image)])));
    },
  };
}

function recordUse(path: string): void {
  const now = Date.now();
  if (now - statSync(path).mtimeMs < dayMs) return;
  // The cache may be read-only.
  orElse(() => utimesSync(path, now / 1000, now / 1000), undefined);
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** How many images are drawn without a thread: starting one takes longer than drawing them. */
const few = 4;

/**
 * Draws SVG documents as PNGs with some fonts: a few of them during `finish`, and more in as many threads as there are cores,
 * since a build is a single turn of the event loop, and keeps the memory of what it draws.
 */
export function openDrawing(fontFiles: string[]) {
  // resvg's memory allocator, mimalloc, then keeps freed memory for the next image. By default, it returns it to the
  // system, which takes as long as half of the drawing. It reads this variable of the process when resvg is loaded.
  process.env.MIMALLOC_PURGE_DELAY ??= '-1';
  const threads = new JobThreads<string, Drawn>({
    script: join(programFolder, 'lib/site/social-image/drawing-worker.js'),
    input: fontFiles,
    most: availableParallelism(),
    // One is drawn, and the next is ready.
    each: 2,
    late: 'A social image was not drawn',
  });
  const first: Parameters<typeof threads.send>[] = [];
  let isFew = true;
  return {
    send(svg: string, onDrawn: (drawn: Drawn) => void): void {
      first.push([svg, onDrawn]);
      isFew &&= first.length <= few;
      if (isFew) return;
      for (const job of first.splice(0)) threads.send(...job);
    },
    isReady: () => threads.isReady(),
    finish(): void {
      const draw = drawer(fontFiles);
      for (const [svg, onDrawn] of first.splice(0)) onDrawn(draw(svg));
      threads.finish();
    },
    stop: () => threads.stop(),
  };
}

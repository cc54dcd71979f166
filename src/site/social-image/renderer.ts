import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  futimesSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { OperationError } from '../../lib/errors.ts';
import { makeFolder } from '../../lib/files.ts';
import { programFolder, programVersion } from '../../program.ts';
import { ContentError } from '../../schema/diagnostics/content-error.ts';
import { diagnose } from '../../schema/diagnostics/diagnostic.ts';
import { templateMessages } from '../../schema/messages/files.ts';
import { JobThreads } from '../threads.ts';
import { type Font, type FontFile, readFont } from './font.ts';

const require = createRequire(import.meta.url);

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

/**
 * Keeps drawn images between builds, by a key derived from their content. If a cached image cannot be read, is damaged,
 * or cannot be written, the image is drawn again, and the build is otherwise the same.
 */
interface ImageCache {
  read(key: string): Buffer | null;
  write(key: string, image: Uint8Array): void;
}

/** How long an unused image is kept, in milliseconds: 60 days. */
const keptMs = 60 * 86_400_000;
/** How often the time of the last use is recorded, in milliseconds: once a day. */
const dayMs = 86_400_000;

/** The length of the hash that follows the image in a file. Image viewers ignore it. */
const hashLength = 32;

/** The cache in `folder`, which need not exist. Nothing here throws. */
export function imageCache(folder: string): ImageCache {
  const images = join(folder, 'social-images');
  let writable: boolean | undefined;

  /** Makes the folder and removes images that were not used for a long time. */
  function open(): boolean {
    try {
      makeFolder(images);
      const oldest = Date.now() - keptMs;
      for (const name of readdirSync(images)) {
        const path = join(images, name);
        if (statSync(path).mtimeMs < oldest) rmSync(path);
      }
      return true;
    } catch {
      return false;
    }
  }

  return {
    read(key) {
      let file: number | undefined;
      try {
        file = openSync(join(images, `${key}.png`), 'r');
        const stored = readFileSync(file);
        const image = stored.subarray(0, -hashLength);
        if (!sha256(image).equals(stored.subarray(-hashLength))) return null;
        recordUse(file);
        return image;
      } catch {
        return null;
      } finally {
        if (file !== undefined) closeSync(file);
      }
    },

    write(key, image) {
      writable ??= open();
      if (!writable) return;
      const staged = join(images, `${key}.${randomUUID()}.part`);
      try {
        writeFileSync(staged, Buffer.concat([image, sha256(image)]));
        renameSync(staged, join(images, `${key}.png`));
      } catch {
        writable = false;
        rmSync(staged, { force: true });
      }
    },
  };
}

function recordUse(file: number): void {
  const now = Date.now();
  if (now - fstatSync(file).mtimeMs < dayMs) return;
  try {
    futimesSync(file, now / 1000, now / 1000);
  } catch {
    // The cache is read-only.
  }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** The outcome of drawing an SVG document. */
export type Drawn = { image: Uint8Array } | { failure: 'missing' | 'refused'; message: string };

/** Threads that draw SVG documents as PNGs, as many as there are cores. */
type Drawing = JobThreads<string, Drawn>;

/** Starts drawing with some fonts. */
export function openDrawing(fontFiles: readonly string[]): Drawing {
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

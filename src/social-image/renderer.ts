import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { diagnose } from '../diagnostics/diagnostic.ts';
import { notAFont, socialImageNotDrawn } from '../diagnostics/messages/templates.ts';
import { ContentError, OperationError } from '../errors.ts';
import { programVersion } from '../program.ts';
import { imageCache } from './cache.ts';
import { type Drawn, openDrawing } from './drawing-threads.ts';
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
      const known = cached?.read(key);
      if (known) return known;
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
      ...socialImageNotDrawn(message),
    }),
  ]);
}

function fontOf({ name, bytes }: FontFile): Font {
  try {
    return readFont(name, bytes);
  } catch {
    throw new ContentError([diagnose({ code: 'template/font', file: `templates/fonts/${name}`, ...notAFont(name) })]);
  }
}

import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { diagnose } from '../diagnostics/diagnostic.ts';
import { ContentError } from '../errors.ts';
import { programVersion } from '../program.ts';
import { imageCache } from './cache.ts';
import { startDrawing } from './drawing.ts';
import { type Font, type FontFile, readFont } from './font.ts';

const require = createRequire(import.meta.url);

/** Draws social images. */
export interface ImageRenderer {
  /** The fonts that it draws with, in the order in which it falls back on them. */
  fonts: readonly Font[];
  /**
   * Draws an SVG document as a PNG: the same document always gives the same bytes. Throws Error if it is not
   * well-formed, and OperationError if nothing can be drawn on this machine.
   */
  render(svg: string): Uint8Array;
  /** Stops drawing, once everything is rendered. */
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
  const drawing = startDrawing(files.map(({ path }) => path));
  const resvg = require('@resvg/resvg-js/package.json') as { version: string };
  const tools = createHash('sha256').update(`${programVersion}\0${resvg.version}`);
  for (const { name, bytes } of files) tools.update(`\0${name}\0${bytes.length}\0`).update(bytes);

  return {
    fonts,
    render(svg) {
      const key = tools.copy().update(`\0${svg}`).digest('hex');
      const known = cached?.read(key);
      if (known) return known;
      const image = drawing.draw(svg);
      cached?.write(key, image);
      return image;
    },
    close: drawing.close,
  };
}

/** Draws nothing: texts are laid out, and the files are empty. */
export function emptyImages(files: readonly FontFile[]): ImageRenderer {
  return { fonts: files.map(fontOf), render: () => new Uint8Array(), close: () => {} };
}

function fontOf({ name, bytes }: FontFile): Font {
  try {
    return readFont(name, bytes);
  } catch {
    throw new ContentError([
      diagnose({
        code: 'template/font',
        file: `templates/fonts/${name}`,
        message: `templates/fonts/${name} is not a TrueType or OpenType font.`,
        hint: 'Convert web fonts (.woff2) to .ttf.',
      }),
    ]);
  }
}

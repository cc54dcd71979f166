import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { FontFile } from '../build/read-templates.ts';
import { ContentError, diagnose } from '../diagnostics/diagnostic.ts';
import type { Pictures } from '../outputs/site.ts';
import { programVersion } from '../program.ts';
import { pictureCache } from './cache.ts';
import { startDrawing } from './drawing.ts';
import { type Font, readFont } from './font.ts';

const require = createRequire(import.meta.url);

/**
 * What draws share pictures with these fonts and no others, so that every machine draws the same.
 *
 * What the cache in the folder `cache` has from the same SVG, fonts, program and renderer is not drawn again, and the
 * renderer is loaded only for what it lacks.
 *
 * Throws ContentError for a file that is no font.
 */
export function pictureRenderer(files: readonly FontFile[], cache: string | null): Pictures {
  const cached = cache === null ? null : pictureCache(cache);
  const fonts = files.map(fontOf);
  const drawing = startDrawing(files.map(({ path }) => path));
  const renderer = require('@resvg/resvg-js/package.json') as { version: string };
  const tools = createHash('sha256').update(`${programVersion}\0${renderer.version}`);
  for (const { name, bytes } of files) tools.update(`\0${name}\0${bytes.length}\0`).update(bytes);

  return {
    fonts,
    render(svg) {
      const key = tools.copy().update(`\0${svg}`).digest('hex');
      const known = cached?.read(key);
      if (known) return known;
      const picture = drawing.draw(svg);
      cached?.write(key, picture);
      return picture;
    },
    close: drawing.close,
  };
}

/** Pictures that are never drawn: their text is typeset, and their files are empty. */
export function noPictures(files: readonly FontFile[]): Pictures {
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
        hint: 'Fonts of the web (.woff2) have to be converted to .ttf.',
      }),
    ]);
  }
}

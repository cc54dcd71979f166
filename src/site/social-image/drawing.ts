import { createRequire } from 'node:module';
import { indexedImage, indexedPng, Layers } from './indexed-png.ts';

const require = createRequire(import.meta.url);
const loadResvg = (): typeof import('@resvg/resvg-js') => require('@resvg/resvg-js');

/** The outcome of drawing an SVG document. */
export type Drawn = { image: Uint8Array } | { failure: 'missing' | 'refused'; message: string };

/** An empty area crops nothing. Without it, resvg copies the whole image. */
const crop = { left: 0, top: 0, right: 0, bottom: 0 };

/**
 * Returns a function that draws an SVG document with these fonts. The memory of resvg, several megabytes for each image,
 * is only freed between two turns of the event loop.
 */
export function drawer(fontFiles: string[]): (svg: string) => Drawn {
  const render = (svg: string) => {
    const { Resvg } = loadResvg();
    return new Resvg(svg, { font: { loadSystemFonts: false, fontFiles }, crop }).render();
  };
  const layers = new Layers(render);
  return (svg: string): Drawn => {
    try {
      loadResvg();
    } catch (error) {
      return { failure: 'missing', message: (error as Error).message };
    }
    try {
      const divided = layers.draw(svg);
      if (divided !== null) return { image: indexedPng(divided) };
      const image = render(svg);
      const indexed = indexedImage(image);
      return { image: indexed === null ? image.asPng() : indexedPng(indexed) };
    } catch (error) {
      return { failure: 'refused', message: (error as Error).message };
    }
  };
}

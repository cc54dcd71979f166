import { createRequire } from 'node:module';
import { answerJobs } from '../threads.ts';
import { indexedImage, indexedPng, Layers } from './indexed-png.ts';
import type { Drawn } from './renderer.ts';

/**
 * Draws SVG documents, one after another, in a separate thread. The memory of resvg, several megabytes for each
 * image, is only freed between two turns of the event loop, and a build is a single turn of the main thread.
 */

const require = createRequire(import.meta.url);
const loadResvg = (): typeof import('@resvg/resvg-js') => require('@resvg/resvg-js');

/** An empty area crops nothing. Without it, resvg copies the whole image. */
const crop = { left: 0, top: 0, right: 0, bottom: 0 };

answerJobs((fontFiles: string[]) => {
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
});

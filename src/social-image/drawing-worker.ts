import { createRequire } from 'node:module';
import { answerJobs } from '../job-threads.ts';
import type { Drawn } from './drawing.ts';
import { indexedPng } from './indexed-png.ts';

/**
 * Draws SVG documents, one after another, in a separate thread. The memory of resvg, several megabytes for each
 * image, is only freed between two turns of the event loop, and a build is a single turn of the main thread.
 */

const require = createRequire(import.meta.url);

/** An empty area crops nothing. Without it, resvg copies the whole image. */
const crop = { left: 0, top: 0, right: 0, bottom: 0 };

answerJobs((fontFiles: string[]) => (svg: string): Drawn => {
  let renderer: typeof import('@resvg/resvg-js');
  try {
    renderer = require('@resvg/resvg-js');
  } catch (error) {
    return { failure: 'missing', message: (error as Error).message };
  }
  try {
    const image = new renderer.Resvg(svg, { font: { loadSystemFonts: false, fontFiles }, crop }).render();
    return { image: indexedPng(image) ?? image.asPng() };
  } catch (error) {
    return { failure: 'refused', message: (error as Error).message };
  }
});

import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
import type { Drawn, WorkerInput } from './drawing.ts';
import { indexedPng } from './indexed-png.ts';

/**
 * Draws SVG documents, one after another, in a separate thread. resvg frees its memory, several megabytes for each image,
 * only when its thread is idle, and the main thread is never idle during a build.
 */

const require = createRequire(import.meta.url);
const { answers, answered, fontFiles } = workerData as WorkerInput;

answers.on('message', (svg: string) => {
  answers.postMessage(draw(svg));
  Atomics.add(answered, 0, 1);
  Atomics.notify(answered, 0);
});

function draw(svg: string): Drawn {
  let renderer: typeof import('@resvg/resvg-js');
  try {
    renderer = require('@resvg/resvg-js');
  } catch (error) {
    return { failure: 'missing', message: (error as Error).message };
  }
  try {
    const image = new renderer.Resvg(svg, { font: { loadSystemFonts: false, fontFiles } }).render();
    return { image: indexedPng(image) ?? image.asPng() };
  } catch (error) {
    return { failure: 'refused', message: (error as Error).message };
  }
}

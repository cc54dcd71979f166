import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
import type { Drawn, WorkerInput } from './drawing.ts';
import { indexedPng } from './indexed-png.ts';

/**
 * Draws SVG documents, one after another, in a separate thread. The memory of resvg, several megabytes for each
 * image, is only freed between two turns of the event loop, and a build is a single turn of the main thread.
 */

const require = createRequire(import.meta.url);
const { answers, answered, fontFiles } = workerData as WorkerInput;

/** An empty area crops nothing. Without it, resvg copies the whole image. */
const crop = { left: 0, top: 0, right: 0, bottom: 0 };

// A turn that drew on receipt would not end as long as messages keep arriving.
answers.on('message', (svg: string) => setImmediate(answer, svg));

function answer(svg: string): void {
  answers.postMessage(draw(svg));
  Atomics.add(answered, 0, 1);
  Atomics.notify(answered, 0);
}

function draw(svg: string): Drawn {
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
}

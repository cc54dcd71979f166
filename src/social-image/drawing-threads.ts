import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { JobThreads } from '../job-threads.ts';
import { programFolder } from '../program.ts';

/** What became of an SVG document. */
export type Drawn = { image: Uint8Array } | { failure: 'missing' | 'refused'; message: string };

/** Threads that draw SVG documents as PNGs, as many as there are cores. */
export type Drawing = JobThreads<string, Drawn>;

/** Starts drawing with some fonts. */
export function openDrawing(fontFiles: readonly string[]): Drawing {
  // resvg's memory allocator, mimalloc, then keeps freed memory for the next image. By default, it returns it to the
  // system, which takes as long as half of the drawing. It reads this variable of the process when resvg is loaded.
  process.env.MIMALLOC_PURGE_DELAY ??= '-1';
  return new JobThreads({
    script: join(programFolder, 'lib/social-image/drawing-worker.js'),
    input: fontFiles,
    most: availableParallelism(),
    // One is drawn, and the next is ready.
    each: 2,
    late: 'A social image was not drawn',
  });
}

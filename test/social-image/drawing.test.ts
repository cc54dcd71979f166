import { availableParallelism } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Drawn, openDrawing } from '../../src/social-image/drawing.ts';

/** Other threads draw any number of images in bounded memory. */

test('the memory of drawn images is freed while others are drawn', () => {
  // Each has 4 MiB of pixels in memory, twice: if they were not freed, they would take 240 MiB in each thread.
  const threads = availableParallelism();
  const documents = Array.from(
    { length: 30 * threads },
    (_, index) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="1024" height="1024"><rect width="${index}" height="9"/></svg>`,
  );
  const drawing = openDrawing([]);
  try {
    const before = process.memoryUsage.rss();
    const drawn: Drawn[] = [];
    for (const document of documents) drawing.send(document, (image) => drawn.push(image));
    drawing.finish();
    const taken = (process.memoryUsage.rss() - before) / 1024 ** 2;
    assert.is(drawn.filter((image) => 'image' in image).length, documents.length);
    assert.ok(taken < 160 * threads, `${Math.round(taken)} MiB`);
  } finally {
    drawing.stop();
  }
});

test.run();

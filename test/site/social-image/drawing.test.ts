import { availableParallelism } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Drawn, Layers } from '../../../src/site/social-image/drawing.ts';
import { openDrawing } from '../../../src/site/social-image/renderer.ts';

/** Other threads draw any number of images, in layers where documents allow it, in bounded memory. */

const mark = '<!--layer-->';
const gradient = (name: string, color: string) =>
  `<linearGradient id="${name}"><stop stop-color="#000"/><stop offset="1" stop-color="${color}"/></linearGradient>`;
const documents: [name: string, content: string][] = [
  [
    'two layers',
    `<rect width="600" height="9" fill="#fff"/>${mark}<rect x="9" y="4" width="9" height="9" fill="#00f"/>`,
  ],
  [
    'a mark in a group',
    `<rect width="600" height="9"/><g fill="#0f0">${mark}<rect x="9" y="4" width="9" height="9"/></g>`,
  ],
  ['two marks', `<rect width="600" height="9"/>${mark}<rect width="9" height="9" fill="#0f0"/>${mark}`],
  [
    'more than 256 colors',
    `<rect width="600" height="9"/>${mark}${gradient('a', '#f00')}${gradient('b', '#00f')}
    <rect width="600" height="4" fill="url(#a)"/><rect y="4" width="600" height="4" fill="url(#b)"/>`,
  ],
];
for (const [name, content] of documents) {
  test(`an image looks the same with a mark as without: ${name}`, () => {
    const marked = documentOf(content);
    const [drawn, plain] = draw([marked, marked.replaceAll(mark, '')]);
    assert.equal(drawn, plain);
    assert.ok(drawn !== undefined && 'image' in drawn);
  });
}

test('every image has its own lower layer, however many there are', () => {
  const contents = Array.from({ length: 80 }, (_, index) => {
    const shared = `<rect width="600" height="9" fill="#fff"/><rect x="1" width="${(index % 40) + 1}" height="9"/>`;
    return `${shared}${mark}<rect x="50" y="${index % 3}" width="9" height="1" fill="#00f"/>`;
  });
  const drawn = draw(contents.map(documentOf));
  const plain = draw(contents.map((content) => documentOf(content.replace(mark, ''))));
  assert.equal(drawn, plain);
});

test('a lower layer is drawn once for all images that share it, unless 16 others came between', () => {
  const drawn: string[] = [];
  const layers = new Layers((svg) => {
    drawn.push(svg);
    return { width: 1, height: 1, pixels: new Uint8Array([0, 0, 0, 255]) };
  });
  const lowerDrawn = (names: readonly string[]) => {
    drawn.length = 0;
    for (const name of names) layers.draw(`<svg>${name}${mark}</svg>`);
    return drawn.filter((svg) => svg !== '<svg></svg>').length;
  };
  const others = (name: string, length: number) => Array.from({ length }, (_, index) => `${name} ${index}`);
  assert.is(lowerDrawn(['one', 'one', 'two', 'one']), 2);
  assert.is(lowerDrawn(['two', ...others('a', 15), 'two']), 15);
  assert.is(lowerDrawn([...others('b', 16), 'two']), 17);
  assert.is(lowerDrawn(['used', ...others('c', 15), 'used', 'new', 'used']), 17);
});

test('a malformed document is refused, and the message counts its lines', () => {
  const [drawn] = draw([documentOf(`<rect/>\n${mark}\n<g>`)]);
  assert.match(drawn !== undefined && 'failure' in drawn ? drawn.message : '', 'at 3:');
});

test('the memory of drawn images is freed while others are drawn', () => {
  // Each has 4 MiB of pixels in memory, twice: if they were not freed, they would take 240 MiB in each thread.
  const threads = availableParallelism();
  const large = Array.from(
    { length: 30 * threads },
    (_, index) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="1024" height="1024"><rect width="${index}" height="9"/></svg>`,
  );
  const drawing = openDrawing([]);
  try {
    const before = process.memoryUsage.rss();
    const drawn: Drawn[] = [];
    for (const document of large) drawing.send(document, (image) => drawn.push(image));
    drawing.finish();
    const taken = (process.memoryUsage.rss() - before) / 1024 ** 2;
    assert.is(drawn.filter((image) => 'image' in image).length, large.length);
    assert.ok(taken < 160 * threads, `${Math.round(taken)} MiB`);
  } finally {
    drawing.stop();
  }
});

function documentOf(content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="9">${content}</svg>`;
}

function draw(svgs: readonly string[]): Drawn[] {
  const drawing = openDrawing([]);
  try {
    const drawn: Drawn[] = [];
    svgs.forEach((svg, index) => {
      drawing.send(svg, (image) => {
        drawn[index] = image;
      });
    });
    drawing.finish();
    return drawn;
  } finally {
    drawing.stop();
  }
}

test.run();

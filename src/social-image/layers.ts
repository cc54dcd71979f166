import { type IndexedImage, indexedImage, overlaid, type Pixels } from './indexed-image.ts';

/** Divides a document. What comes before it is drawn once for all images in which it is the same. */
const mark = '<!--layer-->';

/** How many lower layers are kept, each with a byte for every pixel. */
const most = 16;

/** Draws SVG documents that a comment divides into two layers. */
export class Layers {
  readonly #render: (svg: string) => Pixels;
  /** The last lower layers, by their document, with the last used one at the end. */
  readonly #lower = new Map<string, IndexedImage>();

  constructor(render: (svg: string) => Pixels) {
    this.#render = render;
  }

  /** Returns null if the document is not divided, or can only be drawn as a whole. */
  draw(svg: string): IndexedImage | null {
    const [first = '', second] = svg.split(mark);
    if (second === undefined) return null;
    try {
      const below = this.#drawLower(`${first}</svg>`);
      const [root = ''] = /<svg[^>]*>/.exec(first) ?? [];
      return below && overlaid(below, this.#render(root + second));
    } catch {
      // The mark is not between two elements of the root, or there are two marks, or the document is malformed.
      return null;
    }
  }

  #drawLower(svg: string): IndexedImage | null {
    const layer = this.#lower.get(svg) ?? indexedImage(this.#render(svg));
    if (layer === null) return null;
    this.#lower.delete(svg);
    this.#lower.set(svg, layer);
    const [oldest = ''] = this.#lower.keys();
    if (this.#lower.size > most) this.#lower.delete(oldest);
    return layer;
  }
}

/** An image: a byte each of red, green, blue and alpha for every pixel, from the top left. Alpha has been multiplied in. */
export interface Pixels {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** An image of at most 256 colors, without transparency. */
export interface IndexedImage {
  width: number;
  height: number;
  /** For each row, a zero, as PNG has it, and the number of each pixel's color. */
  rows: Buffer;
  /** The colors: red in the lowest byte, then green, blue and alpha, which is not used. */
  palette: readonly number[];
}

/** Numbers the colors of an opaque image; null if it has more than 256. */
export function indexedImage({ width, height, pixels }: Pixels): IndexedImage | null {
  const { bytes, colors } = viewsOf(pixels);
  const palette = new Map<number, number>();
  const rows = Buffer.alloc((width + 1) * height);
  for (let begin = 0, first = 1; begin < colors.length; begin += width, first += width + 1) {
    const end = begin + width;
    const above = begin - width;
    if (begin > 0 && bytes.compare(bytes, above * 4, begin * 4, begin * 4, end * 4) === 0) {
      rows.copyWithin(first, first - width - 1, first - 1);
    } else if (!indexRow(colors.subarray(begin, end), palette, rows.subarray(first, first + width))) return null;
  }
  return { width, height, rows, palette: [...palette.keys()] };
}

/** Draws a layer of the same size over an image; null if the result has more than 256 colors. */
export function overlaid(below: IndexedImage, { width, height, pixels }: Pixels): IndexedImage | null {
  const { bytes, colors } = viewsOf(pixels);
  const rows = Buffer.from(below.rows);
  const palette = [...below.palette];
  const mix = mixer(palette);
  const blank = Buffer.alloc(width * 4);
  for (let row = 0; row < height; row += 1) {
    const [begin, end] = [row * width, (row + 1) * width];
    if (bytes.compare(blank, 0, width * 4, begin * 4, end * 4) === 0) continue;
    // Rows have one more byte than pixels.
    const shift = row + 1;
    let before = 0;
    let belowBefore = -1;
    let result = 0;
    for (let at = begin; at < end; at += 1) {
      const color = colors[at] ?? 0;
      if (color === 0) {
        // Most of a layer is transparent.
        if (((colors[at + 1] ?? 0) | (colors[at + 2] ?? 0) | (colors[at + 3] ?? 0)) === 0) at += 3;
        continue;
      }
      const number = rows[at + shift] ?? 0;
      if (color !== before || number !== belowBefore) result = mix(color, number);
      rows[at + shift] = result;
      before = color;
      belowBefore = number;
    }
    if (palette.length > 256) return null;
  }
  return { width, height, rows, palette };
}

/** A pixel's color is a signed number, since V8 allocates an object for an integer above 2³¹. */
function viewsOf(pixels: Uint8Array): { bytes: Buffer; colors: Int32Array } {
  const { buffer, byteOffset, byteLength } = pixels;
  return {
    bytes: Buffer.from(buffer, byteOffset, byteLength),
    colors: new Int32Array(buffer, byteOffset, byteLength / 4),
  };
}

/** Numbers the colors of a row. New colors get the next number. Returns false if there are too many. */
function indexRow(colors: Int32Array, palette: Map<number, number>, row: Uint8Array): boolean {
  for (let start = 0, end = 0; start < colors.length; start = end) {
    const color = colors[start] ?? 0;
    for (end = start + 1; end < colors.length && colors[end] === color; ) end += 1;
    let index = palette.get(color);
    if (index === undefined) {
      index = palette.size;
      if (index > 255) return false;
      palette.set(color, index);
    }
    // Calling `fill` takes longer than setting a few bytes.
    if (end - start > 32) row.fill(index, start, end);
    else for (let at = start; at < end; at += 1) row[at] = index;
  }
  return true;
}

/**
 * Returns a function that draws a color over one with a number, and returns the number of the result. New colors are
 * added to the palette.
 */
function mixer(palette: number[]): (color: number, below: number) => number {
  const results = palette.map(() => new Map<number, number>());
  return (color, below) => {
    const known = results[below]?.get(color);
    if (known !== undefined) return known;
    const mixed = over(color, palette[below] ?? 0);
    const found = palette.indexOf(mixed);
    const result = found === -1 ? palette.push(mixed) - 1 : found;
    results[below]?.set(color, result);
    return result;
  };
}

/** The color that results where a color is drawn over an opaque one, rounded about as resvg does. */
function over(color: number, below: number): number {
  const hidden = color >>> 24;
  const channel = (shift: number) => {
    const shown = (((below >>> shift) & 255) * (255 - hidden) + 128) >> 8;
    return (((color >>> shift) & 255) + shown) << shift;
  };
  return channel(0) | channel(8) | channel(16) | (255 << 24);
}

import { constants, crc32, deflateSync } from 'node:zlib';

/** An image: a byte each of red, green, blue and alpha for every pixel, from the top left. */
export interface Pixels {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/**
 * Encodes an opaque image of at most 256 colors as a PNG with a palette (PNG, third edition, color type 3); null if it
 * has more colors. The file is half as large as one in full color, and takes a tenth of the time.
 *
 * The bytes are the same on every machine: of zlib's strategies, only Z_RLE runs the same code in every version of Node
 * and on every processor.
 */
export function indexedPng({ width, height, pixels }: Pixels): Buffer | null {
  // As signed numbers, since V8 allocates an object for an integer above 2³¹.
  const colors = new Int32Array(pixels.buffer, pixels.byteOffset, width * height);
  const indexed = indexedRows(colors, width);
  if (indexed === null) return null;

  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const entries = Uint8Array.from(
    [...indexed.palette.keys()].flatMap((color) => [...new Uint8Array(Int32Array.of(color).buffer, 0, 3)]),
  );
  const data = deflateSync(indexed.rows, { level: 9, strategy: constants.Z_RLE });
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', entries),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The number of the color of every pixel, and the number of each color; null if there are too many colors. */
function indexedRows(colors: Int32Array, width: number): { rows: Uint8Array; palette: Map<number, number> } | null {
  const bytes = Buffer.from(colors.buffer, colors.byteOffset, colors.byteLength);
  const palette = new Map<number, number>();
  const rows = new Uint8Array((width + 1) * (colors.length / width));
  // Each row starts with a byte for its filter: none.
  for (let begin = 0, first = 1; begin < colors.length; begin += width, first += width + 1) {
    const end = begin + width;
    const above = begin - width;
    if (begin > 0 && bytes.compare(bytes, above * 4, begin * 4, begin * 4, end * 4) === 0) {
      rows.copyWithin(first, first - width - 1, first - 1);
    } else if (!indexRow(colors.subarray(begin, end), palette, rows.subarray(first, first + width))) return null;
  }
  return { rows, palette };
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

function chunk(type: string, data: Uint8Array): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}

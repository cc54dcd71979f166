import { constants, crc32, deflateSync } from 'node:zlib';
import type { IndexedImage } from './indexed-image.ts';

/**
 * Encodes an image as a PNG with a palette (PNG, third edition, color type 3). The file is half as large as one in full
 * color, and takes a tenth of the time.
 *
 * The bytes are the same on every machine: of zlib's strategies, only Z_RLE runs the same code in every version of Node
 * and on every processor.
 */
export function indexedPng({ width, height, rows, palette }: IndexedImage): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colors = Uint8Array.from(palette.flatMap((color) => [color, color >>> 8, color >>> 16]));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', colors),
    chunk('IDAT', deflateSync(rows, { level: 9, strategy: constants.Z_RLE })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}

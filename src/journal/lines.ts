import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { hasCode } from './disk.ts';

/** The byte that ends a line. */
export const newline = 0x0a;

/**
 * Reads a file line by line, as bytes. Each line includes its newline, which the last may lack. A missing file has no
 * lines. A file whose name ends in .gz is decompressed. `start` is the byte to begin at.
 */
export async function* readLines(file: string, start = 0): AsyncGenerator<Buffer> {
  // Not node:readline, which also splits at U+2028: JSON does not escape that character.
  let rest: Buffer[] = [];
  try {
    for await (const chunk of bytesOf(file, start)) {
      let from = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
        const line = chunk.subarray(from, end + 1);
        yield rest.length > 0 ? Buffer.concat([...rest, line]) : line;
        rest = [];
        from = end + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
    }
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

function bytesOf(file: string, start: number): AsyncIterable<Buffer> {
  const stream = createReadStream(file, { start });
  if (!file.endsWith('.gz')) return stream;
  const unpacked = createGunzip();
  stream.on('error', (error) => unpacked.destroy(error));
  return stream.pipe(unpacked);
}

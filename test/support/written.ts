import type { Readable } from 'node:stream';

/** Everything that was written to a stream since the last call. From Node.js 26 on, read() returns one piece at a time. */
export function written(stream: Readable): string {
  let text = '';
  for (let piece = stream.read(); piece !== null; piece = stream.read()) text += piece;
  return text;
}

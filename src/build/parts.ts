import type { Part } from '../outputs/output.ts';

/** The parts of a file that was written: the input of each, and its length in bytes. */
export type PartRecord = [input: string, bytes: number][];

/**
 * Puts a file together from its parts. Parts that `before`, the file of the last build, already has are copied from it
 * instead of being rendered.
 */
export function joinParts(
  parts: readonly Part[],
  before: { bytes: Buffer; parts: PartRecord } | null,
): { bytes: Buffer; parts: PartRecord } {
  const known = new Map<string, Buffer>();
  let start = 0;
  for (const [input, length] of before?.parts ?? []) {
    known.set(input, (before as { bytes: Buffer }).bytes.subarray(start, start + length));
    start += length;
  }
  const pieces = parts.map(({ input, render }) => known.get(input) ?? Buffer.from(render()));
  return {
    bytes: Buffer.concat(pieces),
    parts: parts.map(({ input }, index) => [input, pieces[index]?.length ?? 0]),
  };
}

/** How long a piece is at least, in UTF-16 units, except for the last one. */
const pieceLength = 128 * 1024;

/** Renders all parts, joined into pieces. The input and length of each part are added to `rendered`. */
export function* joinedPieces(parts: readonly Part[], rendered: PartRecord): Generator<string> {
  let piece: string[] = [];
  let length = 0;
  for (const { input, render } of parts) {
    const text = render();
    rendered.push([input, Buffer.byteLength(text)]);
    piece.push(text);
    length += text.length;
    if (length < pieceLength) continue;
    yield piece.join('');
    piece = [];
    length = 0;
  }
  yield piece.join('');
}

import { splitFrontMatter } from '../catalog/parse/front-matter.ts';
import { locationInFrontMatter } from '../diagnostics/yaml-location.ts';

/**
 * The bytes of an agent.md with the line `issue: <number>` added below its date; all other bytes stay the same.
 *
 * Null if the line cannot be added: the front matter is not a block of `key: value` lines, or already has `issue`.
 */
export function withIssueLine(bytes: Buffer, issue: number): Buffer | null {
  const { line } = locationInFrontMatter(bytes.toString('utf8'), ['date']);
  const end = endOfLine(bytes, line);
  const result = Buffer.concat([bytes.subarray(0, end), Buffer.from(`issue: ${issue}\n`), bytes.subarray(end)]);
  const before = frontMatter(bytes);
  const after = frontMatter(result);
  return before !== null && JSON.stringify(after) === JSON.stringify(inserted(before, issue)) ? result : null;
}

const lineFeed = 0x0a;

/** The offset after the newline that ends a line, counted from 1. */
function endOfLine(bytes: Buffer, line: number): number {
  let end = 0;
  for (let count = 0; count < line; count += 1) {
    const next = bytes.indexOf(lineFeed, end);
    if (next === -1) return bytes.length;
    end = next + 1;
  }
  return end;
}

function frontMatter(bytes: Buffer): Record<string, unknown> | null {
  const split = splitFrontMatter(bytes.toString('utf8'), 'agent.md', '');
  return 'code' in split || split.diagnostics.length > 0 ? null : (split.data as Record<string, unknown>);
}

/** The keys of front matter in their order, with `issue` after `date`. */
function inserted(data: Record<string, unknown>, issue: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).flatMap(([key, value]) =>
      key === 'date'
        ? [
            [key, value],
            ['issue', issue],
          ]
        : [[key, value]],
    ),
  );
}

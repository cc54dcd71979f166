import { zipSync } from 'fflate/browser';
import { compareText } from '../../compare.ts';

/**
 * Makes a zip archive that has the same bytes on every machine and with every version of the library: the files are
 * sorted, stored without compression, and have the same fixed time.
 */
export function zip(files: ReadonlyMap<string, string | Uint8Array>): Uint8Array {
  const sorted = [...files].sort(([a], [b]) => compareText(a, b));
  const entries = sorted.map(([path, content]) => [path, Buffer.from(content as Uint8Array)]);
  // The earliest time that a zip archive can have. It has no time zone, so it is noon everywhere.
  return zipSync(Object.fromEntries(entries), { level: 0, mtime: new Date(1980, 0, 1, 12) });
}

import type { ServerResponse } from 'node:http';
import { sendError } from './errors.ts';

/** The range of bytes in a Range header for a file of `size`; null for the whole file, 'unsatisfiable' for 416 (RFC 9110, section 14). */
export function parseRange(
  range: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range ?? '');
  if (match === null) return null;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return null;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < start) return null;
  return start >= size ? 'unsatisfiable' : { start, end };
}

/**
 * Answers 416 for a file of `size` at the path `name` below dist/: under /api with an Error object (C7.20), else without a
 * body, with the headers of the file.
 */
export function refuseRange(response: ServerResponse, name: string, size: number, headers: object): void {
  const range = { 'content-range': `bytes */${size}` };
  if (name.startsWith('api/')) {
    sendError(
      response,
      'range_not_satisfiable',
      'The file has no bytes in this range; Content-Range says how many it has.',
      {
        ...range,
        'access-control-allow-origin': '*',
      },
    );
  } else response.writeHead(416, { ...headers, 'content-length': '0', ...range }).end();
}

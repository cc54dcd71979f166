import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import sirv from 'sirv';
import { hasCode } from '../journal/disk.ts';
import type { LiveBuild } from './live-build.ts';
import { isFresh } from './negotiate.ts';
import { parseRange, refuseRange } from './range.ts';

/**
 * Answers a GET or HEAD with a file that is too large for the cache, uncompressed. False if there is no such file.
 *
 * Conditions and ranges are decided here, as for files in memory (RFC 9110, sections 13 and 14); sirv streams the file.
 */
export async function serveLarge(
  request: IncomingMessage,
  response: ServerResponse,
  { folders, info, rules }: LiveBuild,
  name: string,
): Promise<boolean> {
  const found = await findFirst(folders.roots, name);
  if (found === null) return false;
  const { root, size, etag } = found;
  const headers = {
    'content-type': rules.contentType(name) ?? 'application/octet-stream',
    etag,
    'cache-control': 'no-cache',
    ...rules.securityHeaders(info, name),
    'access-control-expose-headers': 'ETag',
  };
  if (isFresh(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end();
    return true;
  }
  const range = requestedRange(request, size, etag);
  if (range === 'unsatisfiable') {
    refuseRange(response, name, size, headers);
    return true;
  }
  // sirv reads every range as `first-last`, and an absent or zero `last` as the end: it gets only what it reads correctly.
  delete request.headers['if-none-match'];
  delete request.headers.range;
  if (range !== null && range.end > 0) request.headers.range = `bytes=${range.start}-${range.end}`;
  request.url = `/${name}`;
  for (const [header, value] of Object.entries(headers)) response.setHeader(header, value);
  let isThere = true;
  // In this mode, sirv looks for the file before it returns.
  sirv(root, { dev: true, etag: true, dotfiles: true })(request, response, () => {
    isThere = false;
    for (const header of Object.keys(headers)) response.removeHeader(header);
  });
  return isThere;
}

function requestedRange({ method, headers }: IncomingMessage, size: number, etag: string) {
  const condition = headers['if-range'];
  const asksPart = method === 'GET' && (condition === undefined || condition === etag);
  return asksPart ? parseRange(headers.range, size) : null;
}

/** The first of the folders that has the file, with the file's size in bytes and its ETag; null if none has it. */
async function findFirst(
  roots: readonly string[],
  name: string,
): Promise<{ root: string; size: number; etag: string } | null> {
  for (const root of roots) {
    try {
      const { size, mtimeNs } = await stat(join(root, name), { bigint: true });
      return { root, size: Number(size), etag: `"${size.toString(16)}-${mtimeNs.toString(16)}"` };
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    }
  }
  return null;
}

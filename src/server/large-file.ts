import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hasCode } from '../journal/disk.ts';
import { securityHeaders } from '../outputs/hosting/security-headers.ts';
import { contentType } from '../outputs/index.ts';
import type { LiveBuild } from './live-build.ts';
import { isFresh, parseRange } from './negotiate.ts';

/**
 * Answers a GET or HEAD with a file that is too large for the cache, without compression. False if there is no such file.
 *
 * The file is measured and read through one descriptor, so that a build that replaces it cannot mix two files.
 */
export async function serveLarge(
  request: IncomingMessage,
  response: ServerResponse,
  { folders, info }: LiveBuild,
  name: string,
): Promise<boolean> {
  const handle = await openFirst(folders.roots.map((root) => join(root, name)));
  if (handle === null) return false;
  try {
    const { size, mtimeNs } = await handle.stat({ bigint: true });
    const headers = {
      'content-type': contentType(name) ?? 'application/octet-stream',
      etag: `"${size.toString(16)}-${mtimeNs.toString(16)}"`,
      'cache-control': 'no-cache',
      ...securityHeaders(info),
      'access-control-expose-headers': 'ETag',
    };
    await answer(request, response, { handle, size: Number(size), headers });
  } finally {
    await handle.close();
  }
  return true;
}

interface Opened {
  handle: FileHandle;
  size: number;
  headers: Record<string, string> & { etag: string };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { handle, size, headers }: Opened,
): Promise<void> {
  if (isFresh(request.headers['if-none-match'], headers.etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const condition = request.headers['if-range'];
  const asksPart = request.method === 'GET' && (condition === undefined || condition === headers.etag);
  const range = asksPart ? parseRange(request.headers.range, size) : null;
  if (range === 'unsatisfiable') {
    response.writeHead(416, { ...headers, 'content-length': 0, 'content-range': `bytes */${size}` }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  response.writeHead(range === null ? 200 : 206, {
    ...headers,
    'content-length': end - start + 1,
    ...(range === null ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  if (request.method === 'HEAD') response.end();
  else await stream(handle.createReadStream({ start, end, autoClose: false }), response);
}

async function stream(bytes: Readable, response: ServerResponse): Promise<void> {
  await pipeline(bytes, response).catch((error: NodeJS.ErrnoException) => {
    // A reader who leaves early is no error.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

/** The first of the files that can be opened; null if there is none. */
async function openFirst(paths: readonly string[]): Promise<FileHandle | null> {
  for (const path of paths) {
    try {
      return await open(path, 'r');
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    }
  }
  return null;
}

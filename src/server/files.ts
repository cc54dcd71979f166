import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import polka, { type Middleware, type Request, type Response } from 'polka';
import sirv from 'sirv';
import { hasCode } from '../storage/disk.ts';
import type { BuildFollower, CachedFile, Encoding, LiveBuild, Variant } from './build-follower.ts';
import {
  answerReadPreflight,
  candidates,
  isFresh,
  literally,
  readCors,
  readMethods,
  refuseMethod,
  sendError,
} from './http.ts';

/** Picks an encoding by Accept-Encoding (RFC 9110, section 12.5.3). */
export function pickEncoding(accept = ''): Encoding {
  const weights = new Map(
    accept.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))] as const;
    }),
  );
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const best = weightOf('gzip') > weightOf('br') ? 'gzip' : 'br';
  return weightOf(best) > 0 ? best : 'identity';
}

/** The value of `v` in a query, as in the addresses of assets; null if it has none. */
export function versionIn(search: string): string | null {
  return /[?&]v=([^&]*)/.exec(search)?.[1] ?? null;
}

/** A part of a file: its first and its last byte. */
interface Range {
  start: number;
  end: number;
}

/** The range of bytes in a Range header for a file of `size`; null for the whole file, 'unsatisfiable' for 416 (RFC 9110, section 14). */
function parseRange(range: string | undefined, size: number): Range | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range ?? '');
  if (match === null) return null;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return null;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < start) return null;
  return start >= size ? 'unsatisfiable' : { start, end };
}

/** A file, of which a part is asked for. */
interface Whole {
  /** Its path below dist/. */
  name: string;
  size: number;
  headers: Record<string, string>;
}

/**
 * Answers with a part of a file, whose bytes `send` sends. If the file has no such part, it answers 416: under /api with an
 * Error object (C7.20), else without a body, with the headers of the file.
 */
function sendPart(
  response: ServerResponse,
  { name, size, headers }: Whole,
  range: Range | 'unsatisfiable',
  send: (range: Range) => void,
): void {
  const message = 'The file has no bytes in this range; Content-Range says how many it has.';
  const unsatisfied = { 'content-range': `bytes */${size}` };
  if (range !== 'unsatisfiable') {
    const { start, end } = range;
    const part = { 'content-length': end - start + 1, 'content-range': `bytes ${start}-${end}/${size}` };
    response.writeHead(206, { ...headers, ...part });
    send(range);
  } else if (name.startsWith('api/')) {
    sendError(response, 'range_not_satisfiable', message, { ...unsatisfied, ...readCors });
  } else response.writeHead(416, { ...headers, 'content-length': '0', ...unsatisfied }).end();
}

/**
 * Answers a GET or HEAD with a file that is too large for the cache, uncompressed. False if there is no such file.
 *
 * sirv streams whole files. Conditions and parts are answered here, as for files in memory (RFC 9110, sections 13 and 14).
 */
export async function serveLarge(
  request: IncomingMessage,
  response: ServerResponse,
  { folders, info, rules, basePath }: LiveBuild,
  name: string,
): Promise<boolean> {
  const match = await findFirst(folders.roots, name);
  if (match === null) return false;
  const { root, size, etag } = match;
  const headers: Record<string, string> = {
    'content-type': rules.contentType(name) ?? 'application/octet-stream',
    etag,
    'cache-control': 'no-cache',
    ...rules.securityHeaders(info, name),
    'access-control-expose-headers': 'ETag',
  };
  if (isFresh(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end();
  } else if (request.headers.range === undefined) {
    let isThere = true;
    const setHeaders = (to: ServerResponse) => {
      for (const [header, value] of Object.entries(headers)) to.setHeader(header, value);
    };
    const onNoMatch = () => {
      isThere = false;
    };
    // In this mode, sirv looks for the file before it returns.
    const streamed = sirv(root, { dev: true, dotfiles: true, setHeaders });
    const site = polka({ onNoMatch }).use(new RegExp(`^${literally(basePath)}`), streamed);
    // Polka's types ask for the third argument, which it fills itself.
    (site.handler as RequestListener)(request, response);
    return isThere;
  } else {
    const range = requestedRange(request, { length: size, etag });
    // A client that leaves, or a file that is cut meanwhile, ends the connection.
    const stream = (part: Range) =>
      request.method === 'HEAD'
        ? response.end()
        : pipeline(createReadStream(join(root, name), part), response, () => {});
    if (range !== null) sendPart(response, { name, size, headers }, range, stream);
    else {
      response.writeHead(200, { ...headers, 'content-length': size });
      stream({ start: 0, end: size - 1 });
    }
  }
  return true;
}

function requestedRange({ method, headers }: IncomingMessage, { length, etag }: { length: number; etag: string }) {
  const condition = headers['if-range'];
  const asksPart = method === 'GET' && (condition === undefined || condition === etag);
  return asksPart ? parseRange(headers.range, length) : null;
}

/** The first of the folders that has the file, with the file's size in bytes and its ETag; null if none has it. */
async function findFirst(roots: readonly string[], name: string) {
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

interface StatusPage {
  /** Its path below dist/. */
  path: string;
  status: number;
  headers?: Record<string, string>;
  fill?: (text: string) => string;
}

/** Files for static hosts alone, and pages that are shown instead of others. */
const unserved = new Set(['_headers', '.nojekyll', '404.html', 'refused.html']);

const revalidate = ['cache-control', 'no-cache'];
const permanent = ['cache-control', 'public, max-age=31536000, immutable'];

interface Sending {
  /** The path of the file below dist/. */
  name: string;
  file: CachedFile;
  variant: Variant;
  /** The query of the request. */
  search: string;
}

function send(request: IncomingMessage, response: ServerResponse, { name, file, variant, search }: Sending): void {
  const isCurrent = file.version !== null && versionIn(search) === file.version;
  const caching = isCurrent ? permanent : revalidate;
  const { body, etag } = variant;
  if (isFresh(request.headers['if-none-match'], etag)) {
    response.writeHead(304, ['etag', etag, 'vary', 'Accept-Encoding', 'access-control-allow-origin', '*', ...caching]);
    response.end();
    return;
  }
  const range = body === file.bytes ? requestedRange(request, { length: body.length, etag }) : null;
  if (range === null) {
    response.writeHead(200, [...variant.headers, ...caching] as string[]);
    response.end(body);
  } else {
    const headers = Object.fromEntries([...pairs(variant.headers), ...pairs(caching)]);
    const sendBytes = ({ start, end }: Range) => response.end(body.subarray(start, end + 1));
    sendPart(response, { name, size: body.length, headers }, range, sendBytes);
  }
}

/**
 * Whether readers get a file of this name. A file of a new agent is served only with the build that has the agent, so
 * that anyone who sees an agent can vote on it.
 */
function isServed({ slugs, info }: LiveBuild, name: string): boolean {
  if (unserved.has(name) || name.startsWith('subscription/')) return false;
  const slug = /^(?:api\/agents|agents|\.well-known\/agent-skills)\/([a-z0-9-]+)(?=[/.])/.exec(name)?.[1];
  return slug === undefined || slug === 'index' || slugs.has(slug) || Object.hasOwn(info.moved, slug);
}

/** The file for the path of a request, or null. Only this function decides it; `names` of the cache remembers its answers. */
async function find(build: LiveBuild, path: string): Promise<{ name: string; file: CachedFile | 'large' } | null> {
  const below = withinBase(build, path);
  for (const name of below === null ? [] : candidates(below)) {
    if (!isServed(build, name)) return null;
    const file = await build.files.get(name);
    if (file === null) continue;
    build.files.names.set(path, name);
    return { name, file };
  }
  return null;
}

/** The part of a path after the path of the base URL, with its slash; null if the path is outside the base URL. */
function withinBase({ basePath: base }: LiveBuild, path: string): string | null {
  if (base === '') return path;
  if (path === base) return '/';
  return path.startsWith(`${base}/`) ? path.slice(base.length) : null;
}

function pairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, index) => [flat[index * 2] ?? '', flat[index * 2 + 1] ?? '']);
}

/** A range counts the bytes of the plain file, so that no answer mixes encodings. */
function encodingFor({ headers }: IncomingMessage, { files: { picked } }: LiveBuild): Encoding {
  if (headers.range !== undefined) return 'identity';
  const accept = (headers['accept-encoding'] ?? '') as string;
  const remembered = picked.get(accept);
  if (remembered !== undefined) return remembered;
  const encoding = pickEncoding(accept);
  picked.set(accept, encoding);
  return encoding;
}

/** Answers a GET or HEAD immediately if everything it needs is in memory; false if not. */
export function serveFromMemory(
  request: IncomingMessage,
  response: ServerResponse,
  build: LiveBuild,
  { pathname, search }: { pathname: string; search: string },
): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const name = build.files.names.get(pathname);
  if (name === undefined) return false;
  const file = build.files.peek(name);
  if (file === undefined) return false;
  const encoding = encodingFor(request, build);
  const variant = encoding === 'identity' ? file.plain : file.compressed[encoding];
  if (variant === undefined) return false;
  send(request, response, { name, file, variant, search });
  return true;
}

/** Answers a GET or HEAD; false if there is no such file. */
async function serve(request: Request, response: Response, build: LiveBuild): Promise<boolean> {
  const match = await find(build, request.path);
  if (match === null) return false;
  const { name, file } = match;
  if (file === 'large') return serveLarge(request, response, build, name);
  const variant = await build.files.variant(name, file, encodingFor(request, build));
  send(request, response, { name, file, variant, search: request.search });
  return true;
}

/** Answers with a page of the build and another status. */
export async function sendPage(
  response: ServerResponse,
  { files }: LiveBuild,
  { path, status, headers = {}, fill = (text) => text }: StatusPage,
): Promise<void> {
  const file = await files.get(path);
  const [text, own] = file === null || file === 'large' ? ['', []] : [String(file.bytes), file.plain.headers];
  const body = Buffer.from(fill(text));
  const kept = pairs(own).filter(([name]) => !['content-length', 'etag', 'vary'].includes(name));
  response.writeHead(status, {
    ...Object.fromEntries(kept),
    'content-length': body.length,
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(body);
}

/** Answers requests without a route: with a file of the build, or with 404. The API is below each of the `mounts`. */
export function siteHandler(follower: BuildFollower, mounts: ReadonlySet<string>): Middleware {
  const isInApi = (path: string) => [...mounts].some((mount) => `${path}/`.startsWith(`${mount}/api/`));

  async function read(request: Request, response: Response): Promise<void> {
    const build = follower.current();
    if (isAboveBase(request, build)) {
      const location = `${build.basePath}/`;
      return void response.writeHead(302, { location, 'cache-control': 'no-store', 'content-length': 0 }).end();
    }
    if (await serve(request, response, build)) return;
    // The file may be in a build that was just put in place. If the folder of a build is gone, all of its files may be.
    await follower.refresh();
    const next = follower.current();
    if (next !== build && (await serve(request, response, next))) return;
    await notFound(request, response, next);
  }

  async function refuse(request: Request, response: Response): Promise<void> {
    const build = follower.current();
    const isKnown = isAboveBase(request, build) || (await find(build, request.path)) !== null;
    if (!isKnown) return notFound(request, response, build);
    if (isInApi(request.path)) return refuseMethod(response);
    response.writeHead(405, { allow: readMethods, ...readCors, 'content-type': 'text/plain; charset=utf-8' });
    response.end('Method not allowed\n');
  }

  async function notFound(request: Request, response: Response, build: LiveBuild): Promise<void> {
    if (!isInApi(request.path)) return sendPage(response, build, { path: '404.html', status: 404 });
    sendError(response, 'not_found', notFoundMessage(withinBase(build, request.path)), readCors);
  }

  return (request, response) => {
    if (request.method === 'OPTIONS') return answerReadPreflight(response);
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(request, response);
    return read(request, response);
  };
}

/** Whether a request is for the root of the host while the site is below a path. */
function isAboveBase({ path }: Request, build: LiveBuild): boolean {
  return path === '/' && withinBase(build, '/') === null;
}

function notFoundMessage(path: string | null): string {
  return path?.startsWith('/api/agents/')
    ? 'No agent has this slug; /api/agents.json lists them all.'
    : 'There is nothing at this address; /api/openapi.json lists all addresses.';
}

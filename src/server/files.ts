import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'polka';
import type { CachedFile, Encoding, Variant } from './file-cache.ts';
import { serveLarge } from './large-file.ts';
import type { LiveBuild } from './live-build.ts';
import { encodingPicker, isFresh } from './negotiate.ts';
import { parseRange, refuseRange } from './range.ts';
import { candidates, type Target, versionIn } from './target.ts';

export interface StatusPage {
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

/** Serves the files of the live build. */
export class Files {
  readonly #pickEncoding = encodingPicker();

  /** Answers a GET or HEAD immediately if everything it needs is in memory; false if not. */
  serveFromMemory(
    request: IncomingMessage,
    response: ServerResponse,
    build: LiveBuild,
    { pathname, search }: Target,
  ): boolean {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const name = build.found.get(pathname);
    if (name === undefined) return false;
    const file = build.files.peek(name);
    if (file === undefined) return false;
    const encoding = this.#encodingFor(request);
    const variant = encoding === 'identity' ? file.plain : file.compressed[encoding];
    if (variant === undefined) return false;
    send(request, response, { name, file, variant, search });
    return true;
  }

  /** Answers a GET or HEAD; false if there is no such file. */
  async serve(request: Request, response: Response, build: LiveBuild): Promise<boolean> {
    const found = await find(build, request.path);
    if (found === null) return false;
    const { name, file } = found;
    if (file === 'large') return serveLarge(request, response, build, name);
    const variant = await build.files.variant(name, file, this.#encodingFor(request));
    send(request, response, { name, file, variant, search: request.search });
    return true;
  }

  /** Whether there is a file for a path. */
  async exists(build: LiveBuild, path: string): Promise<boolean> {
    return (await find(build, path)) !== null;
  }

  /** Answers with a page of the build and another status. */
  async page(response: ServerResponse, build: LiveBuild, page: StatusPage): Promise<void> {
    const { path, status, headers = {}, fill = (text) => text } = page;
    const file = await build.files.get(path);
    const [text, known] = file === null || file === 'large' ? ['', []] : [String(file.bytes), file.plain.headers];
    const body = Buffer.from(fill(text));
    const kept = pairs(known).filter(([name]) => !['content-length', 'etag', 'vary'].includes(name));
    response.writeHead(status, {
      ...Object.fromEntries(kept),
      'content-length': body.length,
      'cache-control': 'no-store',
      ...headers,
    });
    response.end(body);
  }

  /** A range counts the bytes of the plain file, so that no answer mixes encodings. */
  #encodingFor({ headers }: IncomingMessage): Encoding {
    if (headers.range !== undefined) return 'identity';
    return this.#pickEncoding(headers['accept-encoding'] as string | undefined);
  }
}

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
  if (isFresh(request.headers['if-none-match'], variant.etag)) {
    const { etag } = variant;
    response.writeHead(304, ['etag', etag, 'vary', 'Accept-Encoding', 'access-control-allow-origin', '*', ...caching]);
    response.end();
    return;
  }
  const range = variant.body === file.bytes && request.method === 'GET' ? rangeOf(request, variant) : null;
  if (range === null) {
    response.writeHead(200, [...variant.headers, ...caching] as string[]);
    response.end(variant.body);
  } else if (range === 'unsatisfiable') {
    refuseRange(response, name, variant.body.length, headersOf(variant, caching));
  } else sendRange(response, variant, range, caching);
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

/** The file for the path of a request, or null. Only this function decides it; `found` remembers its answers. */
async function find(build: LiveBuild, path: string): Promise<{ name: string; file: CachedFile | 'large' } | null> {
  const below = withinBase(build, path);
  for (const name of below === null ? [] : candidates(below)) {
    if (!isServed(build, name)) return null;
    const file = await build.files.get(name);
    if (file === null) continue;
    build.found.set(path, name);
    return { name, file };
  }
  return null;
}

/** The part of a path after that of the base URL, with its slash; null if the path is outside the base URL. */
export function withinBase({ basePath: base }: LiveBuild, path: string): string | null {
  if (base === '') return path;
  if (path === base) return '/';
  return path.startsWith(`${base}/`) ? path.slice(base.length) : null;
}

function rangeOf(request: IncomingMessage, { etag, body }: Variant) {
  const condition = request.headers['if-range'];
  return condition === undefined || condition === etag ? parseRange(request.headers.range, body.length) : null;
}

function sendRange(
  response: ServerResponse,
  variant: Variant,
  { start, end }: { start: number; end: number },
  caching: readonly string[],
): void {
  const part = variant.body.subarray(start, end + 1);
  response.writeHead(206, {
    ...headersOf(variant, caching),
    'content-length': part.length,
    'content-range': `bytes ${start}-${end}/${variant.body.length}`,
  });
  response.end(part);
}

function headersOf({ headers }: Variant, caching: readonly string[]): Record<string, string> {
  return Object.fromEntries([...pairs(headers), ...pairs(caching)]);
}

function pairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, index) => [flat[index * 2] ?? '', flat[index * 2 + 1] ?? '']);
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CachedFile, Variant } from './file-cache.ts';
import { serveLarge } from './large-file.ts';
import type { LiveBuild } from './live-build.ts';
import { encodingPicker, isFresh, parseRange } from './negotiate.ts';
import { candidates, type Target } from './target.ts';

/** Serves the files of whatever build is live. */
export interface Files {
  /** Answers at once, if all that the answer needs is in memory; false when it is not. */
  serveFromMemory(request: IncomingMessage, response: ServerResponse, build: LiveBuild, target: Target): boolean;
  /** Answers a GET or HEAD; false when there is no such file. */
  serve(request: IncomingMessage, response: ServerResponse, build: LiveBuild, target: Target): Promise<boolean>;
  /** Whether there is a file for a target. */
  exists(build: LiveBuild, target: Target): Promise<boolean>;
  /** Answers with a page of the build and another status; `fill` changes its text. */
  page(request: IncomingMessage, response: ServerResponse, build: LiveBuild, page: StatusPage): Promise<void>;
}

export interface StatusPage {
  /** Below dist/. */
  path: string;
  status: number;
  headers?: Record<string, string>;
  fill?: (text: string) => string;
}

/** Files that a static host reads and no reader needs, and pages that are shown in place of others. */
const unserved = new Set(['_headers', '.nojekyll', '404.html', 'refused.html']);

/** The longest path that is remembered, in characters: the longest of a page are shorter. */
const longestRemembered = 256;

const revalidate = ['cache-control', 'no-cache'];
const forever = ['cache-control', 'public, max-age=31536000, immutable'];

export function fileServer(): Files {
  const pickEncoding = encodingPicker();

  function send(
    request: IncomingMessage,
    response: ServerResponse,
    file: CachedFile,
    variant: Variant,
    version: string | null,
  ): void {
    const caching = file.version !== null && version === file.version ? forever : revalidate;
    if (isFresh(request.headers['if-none-match'], variant.etag)) {
      response.writeHead(304, [
        'etag',
        variant.etag,
        'vary',
        'Accept-Encoding',
        'access-control-allow-origin',
        '*',
        ...caching,
      ]);
      response.end();
      return;
    }
    const range = variant.body === file.bytes && request.method === 'GET' ? rangeOf(request, variant) : null;
    if (range === null) {
      response.writeHead(200, [...variant.headers, ...caching] as string[]);
      response.end(request.method === 'HEAD' ? undefined : variant.body);
    } else sendRange(response, variant, range, caching);
  }

  return {
    serveFromMemory(request, response, build, { path, version }) {
      const name = build.found.get(path);
      const file = name === undefined ? undefined : build.files.peek(name);
      if (file === undefined) return false;
      const encoding = encodingFor(request);
      const variant = encoding === 'identity' ? file.plain : file.compressed[encoding];
      if (variant === undefined) return false;
      send(request, response, file, variant, version);
      return true;
    },

    async serve(request, response, build, { path, version }) {
      const found = await find(build, path);
      if (found === null) return false;
      const { name, file } = found;
      if (file === 'large') return serveLarge(request, response, build, name);
      send(request, response, file, await build.files.variant(name, file, encodingFor(request)), version);
      return true;
    },

    exists: async (build, { path }) => (await find(build, path)) !== null,

    async page(request, response, build, { path, status, headers = {}, fill }) {
      const file = await build.files.get(path);
      const text = file === null || file === 'large' ? '' : file.bytes.toString('utf8');
      const body = Buffer.from(fill === undefined ? text : fill(text));
      const known = file === null || file === 'large' ? [] : file.plain.headers;
      const kept = pairs(known).filter(([name]) => !['content-length', 'etag', 'vary'].includes(name));
      response.writeHead(status, {
        ...Object.fromEntries(kept),
        'content-length': body.length,
        'cache-control': 'no-store',
        ...headers,
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    },
  };

  /** A range is of the bytes as they are, so that one answer never mixes encodings. */
  function encodingFor({ headers }: IncomingMessage) {
    return headers.range === undefined ? pickEncoding(headers['accept-encoding'] as string | undefined) : 'identity';
  }
}

/**
 * Whether readers get a file of this name. Files of an agent that a build being written brings come with that build,
 * so that whoever sees an agent can vote on it.
 */
function isServed({ slugs, info }: LiveBuild, name: string): boolean {
  if (unserved.has(name)) return false;
  const slug = /^(?:api\/agents|agents|\.well-known\/agent-skills)\/([a-z0-9-]+)(?=[/.])/.exec(name)?.[1];
  return slug === undefined || slug === 'index' || slugs.has(slug) || Object.hasOwn(info.moved, slug);
}

/**
 * The file that readers get at a path of a request, or null. This is the only place that decides it; `found` remembers
 * the answer for requests from memory.
 */
async function find(build: LiveBuild, path: string): Promise<{ name: string; file: CachedFile | 'large' } | null> {
  const below = withinBase(build, path);
  for (const name of below === null ? [] : candidates(below)) {
    if (!isServed(build, name)) return null;
    const file = await build.files.get(name);
    if (file === null) continue;
    if (path.length <= longestRemembered) build.found.set(path, name);
    return { name, file };
  }
  return null;
}

/** The path below the base URL's, with its slash; null outside of it. */
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
  { body, headers }: Variant,
  range: { start: number; end: number } | 'unsatisfiable',
  caching: readonly string[],
): void {
  const all = Object.fromEntries([...pairs(headers), ...pairs(caching)]);
  if (range === 'unsatisfiable') {
    response.writeHead(416, { ...all, 'content-length': '0', 'content-range': `bytes */${body.length}` });
    response.end();
    return;
  }
  const part = body.subarray(range.start, range.end + 1);
  response.writeHead(206, {
    ...all,
    'content-length': part.length,
    'content-range': `bytes ${range.start}-${range.end}/${body.length}`,
  });
  response.end(part);
}

function pairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, index) => [flat[index * 2] ?? '', flat[index * 2 + 1] ?? '']);
}

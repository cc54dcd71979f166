import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { type BuildInfo, buildFile } from '../schema/build-info.ts';

/** The encodings in which a file can be sent, best first. */
export const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

/** A file of a build in memory, read whole. It never changes: a variant that is added makes a new one. */
export interface CachedFile {
  /** What `v` has to be in its address for the answer to be kept permanently; null where that never holds. */
  version: string | null;
  bytes: Buffer;
  type: string;
  plain: Variant;
  /** Its compressed forms so far; `plain` where compression gains nothing. */
  compressed: Partial<Record<Encoding, Variant>>;
}

/** A file in one encoding, with everything that an answer needs. */
export interface Variant {
  body: Buffer;
  etag: string;
  /** Names and values in turn, as writeHead takes them fastest; without Cache-Control. */
  headers: string[];
}

/** The files of one build in memory: each is read once, whole, and compressed once in each encoding. */
export interface FileCache {
  /** The file at a path below the root, if it is in memory. */
  peek(path: string): CachedFile | undefined;
  /** The file at a path below the root; null where there is none that is served; 'large' for one beyond the cache. */
  get(path: string): Promise<CachedFile | 'large' | null>;
  /** The file at `path` in an encoding, compressed at first request. Requests at the same time share the work. */
  variant(path: string, file: CachedFile, encoding: Encoding): Promise<Variant>;
}

/** The largest file that is kept, and how much is kept in all, in bytes. */
const maxFileBytes = 8 * 1024 * 1024;
const defaultMaxBytes = 128 * 1024 * 1024;
/** What a body takes beside its bytes: names, headers, hash. */
const entryBytes = 1024;
/** Below this a compressed body is no gain, in bytes. */
const minCompressedBytes = 512;

const compress: Record<Exclude<Encoding, 'identity'>, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 6 }),
};

/** Where the files of a build are. */
export interface BuildFolders {
  /** The folders that hold them, the one that counts first. */
  roots: readonly string[];
  /** Paths that are still in a folder but are not part of the build. */
  removed: ReadonlySet<string>;
}

/** How the files of a site are served. The caller passes it, so that the server needs no renderer. */
export interface SiteRules {
  /** The content type of a path below the folder of the build; undefined if no site has that path. */
  contentType(path: string): string | undefined;
  /** The headers of every file. */
  securityHeaders(addresses: Pick<BuildInfo, 'baseUrl' | 'runtimeUrl'>): Record<string, string>;
}

/** A cache of the build in some folders. It never looks at a file twice: a new build gets a new cache. */
export function fileCache(
  { roots, removed }: BuildFolders,
  info: Pick<BuildInfo, 'baseUrl' | 'runtimeUrl'>,
  { contentType, securityHeaders }: SiteRules,
  maxBytes = defaultMaxBytes,
): FileCache {
  const files = new LRUCache<string, CachedFile>({ maxSize: maxBytes, sizeCalculation: sizeOf });
  const reading = shared<CachedFile | 'large' | null>();
  const compressing = shared<Variant>();
  const headers = Object.entries({ ...securityHeaders(info), 'Access-Control-Expose-Headers': 'ETag' });
  const common = headers.flatMap(([name, value]) => [name.toLowerCase(), value]);

  async function read(path: string): Promise<CachedFile | 'large' | null> {
    const type = path === buildFile ? 'application/json' : contentType(path);
    if (type === undefined) return null;
    if (removed.has(path)) return null;
    let bytes: Buffer | 'large' | null = null;
    for (const root of roots) bytes ??= await readWhole(join(root, path));
    if (bytes === null || bytes === 'large') return bytes;
    const hash = createHash('sha256').update(bytes).digest('hex');
    const version = path.startsWith('assets/') ? hash.slice(0, 12) : null;
    const plain = variantOf(type, 'identity', bytes, hash.slice(0, 32));
    const file: CachedFile = { version, bytes, type, plain, compressed: {} };
    files.set(path, file);
    return file;
  }

  function variantOf(type: string, encoding: Encoding, body: Buffer, hash: string): Variant {
    const etag = `"${hash}${encoding === 'identity' ? '' : `-${encoding}`}"`;
    const headers = [
      ...['content-type', type, 'content-length', String(body.length), 'etag', etag, 'vary', 'Accept-Encoding'],
      ...(encoding === 'identity' ? [] : ['content-encoding', encoding]),
      ...common,
    ];
    return { body, etag, headers };
  }

  /** The latest form of a file with the same bytes, while it is kept. */
  function current(path: string, { bytes }: CachedFile): CachedFile | undefined {
    const now = files.peek(path);
    return now?.bytes === bytes ? now : undefined;
  }

  async function compressed(path: string, file: CachedFile, encoding: keyof typeof compress): Promise<Variant> {
    const { plain, bytes, type } = file;
    const body = isCompressible(file) ? await compress[encoding](bytes) : bytes;
    const variant = body.length < bytes.length ? variantOf(type, encoding, body, plain.etag.slice(1, -1)) : plain;
    // Another encoding may have been added meanwhile, or the file forgotten.
    const now = current(path, file);
    if (now !== undefined) files.set(path, { ...now, compressed: { ...now.compressed, [encoding]: variant } });
    return variant;
  }

  return {
    peek: (path) => files.get(path),
    async get(path) {
      return files.get(path) ?? reading(path, () => read(path));
    },
    async variant(path, file, encoding) {
      if (encoding === 'identity') return file.plain;
      const known = (current(path, file) ?? file).compressed[encoding];
      return known ?? compressing(`${encoding} ${path}`, () => compressed(path, file, encoding));
    },
  };
}

/** What a file takes in memory, in bytes. */
function sizeOf({ bytes, compressed }: CachedFile): number {
  const bodies = new Set([bytes, ...Object.values(compressed).map(({ body }) => body)]);
  return [...bodies].reduce((sum, { length }) => sum + length + entryBytes, 0);
}

/** Runs work under a key once at a time: calls during the work get its result. */
function shared<Result>(): (key: string, work: () => Promise<Result>) => Promise<Result> {
  const underWay = new Map<string, Promise<Result>>();
  return (key, work) => {
    const running = underWay.get(key) ?? work().finally(() => underWay.delete(key));
    underWay.set(key, running);
    return running;
  };
}

function isCompressible({ type, bytes }: CachedFile): boolean {
  return bytes.length >= minCompressedBytes && /^text\/|json|xml|svg|javascript/.test(type);
}

/** A file read whole through one descriptor, so that a rename in between cannot mix two files. */
async function readWhole(path: string): Promise<Buffer | 'large' | null> {
  try {
    const handle = await open(path, 'r');
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return null;
      return stats.size > maxFileBytes ? 'large' : await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ENAMETOOLONG') return null;
    throw error;
  }
}

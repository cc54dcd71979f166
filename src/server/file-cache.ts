import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { contentType } from '../artifacts/index.ts';
import { contentSecurityPolicy } from '../artifacts/page.ts';
import { type BuildInfo, buildFile } from '../build/render.ts';

/** The encodings in which a file can be sent, best first. */
export const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

/** A file of a build in memory, read whole. */
export interface CachedFile {
  /** What `v` has to be in its address for the answer to be kept for ever; null where that never holds. */
  version: string | null;
  bytes: Buffer;
  type: string;
  variants: Map<Encoding, Variant>;
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
  /** The file at a path below the root, as far as it is in memory already. */
  peek(path: string): CachedFile | undefined;
  /** The file at a path below the root; null where there is none that is served; 'large' for one beyond the cache. */
  get(path: string): Promise<CachedFile | 'large' | null>;
  /** The file in an encoding, compressed at first request. */
  variant(file: CachedFile, encoding: Encoding): Promise<Variant>;
}

/** The largest file that is kept, and how much is kept in all, in bytes. */
const maxFileBytes = 8 * 1024 * 1024;
const maxBytes = 128 * 1024 * 1024;
/** Below this a compressed body is no gain, in bytes. */
const minCompressedBytes = 512;

const compress: Record<Exclude<Encoding, 'identity'>, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 6 }),
};

/** A cache of the build in `root`. It never looks at a file twice: a new build gets a new cache. */
export function fileCache(root: string, info: Pick<BuildInfo, 'runtimeUrl'>): FileCache {
  const files = new Map<string, CachedFile>();
  const reading = new Map<string, Promise<CachedFile | 'large' | null>>();
  const compressing = new Map<CachedFile, Map<Encoding, Promise<Variant>>>();
  const shared = [
    ...['content-security-policy', `${contentSecurityPolicy(info)}; frame-ancestors 'none'`],
    ...['referrer-policy', 'strict-origin-when-cross-origin'],
    ...['x-content-type-options', 'nosniff'],
    ...['access-control-allow-origin', '*'],
    ...['access-control-expose-headers', 'ETag'],
  ];
  let kept = 0;

  async function read(path: string): Promise<CachedFile | 'large' | null> {
    const type = path === buildFile ? 'application/json' : contentType(path);
    if (type === undefined) return null;
    const bytes = await readWhole(join(root, path));
    if (bytes === null || bytes === 'large') return bytes;
    const hash = createHash('sha256').update(bytes).digest('hex');
    const file: CachedFile = {
      version: path.startsWith('assets/') ? hash.slice(0, 12) : null,
      bytes,
      type,
      variants: new Map(),
    };
    file.variants.set('identity', variantOf(file, 'identity', bytes, hash));
    files.set(path, file);
    keep(bytes.length);
    return file;
  }

  function variantOf(file: CachedFile, encoding: Encoding, body: Buffer, hash: string): Variant {
    const etag = `"${hash.slice(0, 32)}${encoding === 'identity' ? '' : `-${encoding}`}"`;
    const headers = [
      ...['content-type', file.type, 'content-length', String(body.length), 'etag', etag, 'vary', 'Accept-Encoding'],
      ...(encoding === 'identity' ? [] : ['content-encoding', encoding]),
      ...shared,
    ];
    return { body, etag, headers };
  }

  async function compressed(file: CachedFile, encoding: Exclude<Encoding, 'identity'>): Promise<Variant> {
    const plain = file.variants.get('identity') as Variant;
    const body = isCompressible(file) ? await compress[encoding](file.bytes) : file.bytes;
    const variant = body.length < file.bytes.length ? variantOf(file, encoding, body, plain.etag.slice(1, -1)) : plain;
    file.variants.set(encoding, variant);
    if (variant !== plain) keep(body.length);
    return variant;
  }

  /** Counts what is kept more, and forgets the oldest files until all fits. */
  function keep(bytes: number): void {
    kept += bytes;
    for (const [path, file] of files) {
      if (kept <= maxBytes) return;
      files.delete(path);
      for (const variant of new Set(file.variants.values())) kept -= variant.body.length;
    }
  }

  return {
    peek: (path) => files.get(path),
    async get(path) {
      const known = files.get(path);
      if (known !== undefined) return known;
      const started = reading.get(path) ?? read(path).finally(() => reading.delete(path));
      reading.set(path, started);
      return started;
    },
    async variant(file, encoding) {
      const known = file.variants.get(encoding);
      if (known !== undefined || encoding === 'identity') return known as Variant;
      const started = compressing.get(file) ?? new Map<Encoding, Promise<Variant>>();
      compressing.set(file, started);
      const pending = started.get(encoding) ?? compressed(file, encoding);
      started.set(encoding, pending);
      return pending.finally(() => compressing.delete(file));
    },
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

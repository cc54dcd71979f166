import { readFileSync, realpathSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { orElse } from '../lib/errors.ts';
import { sha256Of } from '../lib/files.ts';
import { type BuildInfo, buildFile, parseBuildInfo } from '../schema/documents.ts';
import { findPending, noBuild, pendingFolders } from '../storage/build-folder.ts';
import { hasCode } from '../storage/disk.ts';
import { loadMcpCatalog, type McpCatalog } from './mcp/catalog.ts';

/** The encodings in which a file can be sent, best first. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** A whole file of a build in memory. It is immutable: adding a variant makes a new object. */
export interface CachedFile {
  /** The value of `v` in its address with which browsers may cache it permanently; null if it has none. */
  version: string | null;
  bytes: Buffer;
  type: string;
  plain: Variant;
  /** Its compressed forms so far; `plain` if compression does not make it smaller. */
  compressed: Partial<Record<Encoding, Variant>>;
}

/** A file in one encoding, with everything an answer needs. */
export interface Variant {
  body: Buffer;
  etag: string;
  /** Names and values in turn, the fastest form for writeHead; without Cache-Control. */
  headers: string[];
}

/** The largest file in the cache, and the size of the whole cache, in bytes. */
const maxFileBytes = 8 * 1024 * 1024;
const defaultMaxBytes = 128 * 1024 * 1024;
/** The memory for an entry besides its body: path, headers, hash. */
const entryBytes = 1024;
/** The smallest file that is worth compressing, in bytes. */
const minCompressedBytes = 512;

const compress: Record<Exclude<Encoding, 'identity'>, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/** Where the files of a build are. */
interface BuildFolders {
  /** The folders with its files. A file in an earlier folder wins. */
  roots: readonly string[];
  /** Paths of files in these folders that are not part of the build. */
  removed: ReadonlySet<string>;
}

/** Reads a whole file of a build; null if there is none, 'large' if it is too large for the cache. */
type ReadBuildFile = (path: string) => Promise<Buffer | 'large' | null>;

/** Reads files from the folders of a build on the disk. */
export function readerOf({ roots, removed }: BuildFolders): ReadBuildFile {
  return async (path) => {
    if (removed.has(path)) return null;
    let bytes: Buffer | 'large' | null = null;
    for (const root of roots) bytes ??= await readWhole(join(root, path));
    return bytes;
  };
}

/** How the files of a site are served. The caller passes it, so that the server needs no renderer. */
export interface SiteRules {
  /** The content type of a path below the folder of the build; undefined if no site has that path. */
  contentType(path: string): string | undefined;
  /** The headers of every file, of which the policy depends on its path. */
  securityHeaders(addresses: Pick<BuildInfo, 'baseUrl' | 'runtimeUrl'>, path: string): Record<string, string>;
}

/** A file of the build; null if none is served there; 'large' if it is too large for the cache. */
type Found = CachedFile | 'large' | null;

/**
 * The files of one build in memory. Each is read once, and compressed once in each encoding. It never reads a file again,
 * since a new build gets a new cache.
 */
export class FileCache {
  /** Maps the paths of the most frequent requests to files. */
  readonly names = new LRUCache<string, string>({ max: 10_000 });
  /**
   * Maps values of Accept-Encoding, which browsers repeat, to the encodings that they pick. To parse the value for each
   * read would take a tenth more processor time, with any number of agents.
   */
  readonly picked = new LRUCache<string, Encoding>({
    max: 500,
    maxSize: 64 * 1024,
    sizeCalculation: (_, { length }) => length + 1,
  });
  readonly #readFile: ReadBuildFile;
  readonly #rules: SiteRules;
  readonly #info: Pick<BuildInfo, 'baseUrl' | 'runtimeUrl'>;
  readonly #files: LRUCache<string, CachedFile>;
  readonly #reading = shared<Found>();
  readonly #compressing = shared<Variant>();

  constructor(
    readFile: ReadBuildFile,
    info: Pick<BuildInfo, 'baseUrl' | 'runtimeUrl'>,
    rules: SiteRules,
    maxBytes = defaultMaxBytes,
  ) {
    this.#readFile = readFile;
    this.#rules = rules;
    this.#files = new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf });
    this.#info = info;
  }

  /** The file at a path of the build, if it is in memory. */
  peek(path: string): CachedFile | undefined {
    return this.#files.get(path);
  }

  /** The file at a path of the build, read at the first request. */
  async get(path: string): Promise<Found> {
    return this.#files.get(path) ?? this.#reading(path, () => this.#read(path));
  }

  /** The file at `path` in an encoding, compressed at the first request. Concurrent requests share the work. */
  async variant(path: string, file: CachedFile, encoding: Encoding): Promise<Variant> {
    if (encoding === 'identity') return file.plain;
    const cached = (this.#current(path, file) ?? file).compressed[encoding];
    return cached ?? this.#compressing(`${encoding} ${path}`, () => this.#compress(path, file, encoding));
  }

  async #read(path: string): Promise<Found> {
    const type = path === buildFile ? 'application/json' : this.#rules.contentType(path);
    if (type === undefined) return null;
    const bytes = await this.#readFile(path);
    if (bytes === null || bytes === 'large') return bytes;
    const hash = sha256Of(bytes);
    const version = path.startsWith('assets/') ? hash.slice(0, 12) : null;
    const plain = this.#variantOf(path, type, 'identity', bytes, hash.slice(0, 32));
    const file: CachedFile = { version, bytes, type, plain, compressed: {} };
    this.#files.set(path, file);
    return file;
  }

  async #compress(path: string, file: CachedFile, encoding: keyof typeof compress): Promise<Variant> {
    const { plain, bytes, type } = file;
    const body = isCompressible(file) ? await compress[encoding](bytes) : bytes;
    const { etag } = plain;
    const isSmaller = body.length < bytes.length;
    const variant = isSmaller ? this.#variantOf(path, type, encoding, body, etag.slice(1, -1)) : plain;
    // Meanwhile another encoding may have been added, or the file evicted.
    const now = this.#current(path, file);
    if (now !== undefined) this.#files.set(path, { ...now, compressed: { ...now.compressed, [encoding]: variant } });
    return variant;
  }

  /** The latest form of a file with the same bytes, if it is still in the cache. */
  #current(path: string, { bytes }: CachedFile): CachedFile | undefined {
    const now = this.#files.peek(path);
    return now?.bytes === bytes ? now : undefined;
  }

  #variantOf(path: string, type: string, encoding: Encoding, body: Buffer, hash: string): Variant {
    const etag = `"${hash}${encoding === 'identity' ? '' : `-${encoding}`}"`;
    const headers = [
      ...['content-type', type, 'content-length', String(body.length), 'etag', etag, 'vary', 'Accept-Encoding'],
      ...(encoding === 'identity' ? [] : ['content-encoding', encoding]),
      ...Object.entries(this.#rules.securityHeaders(this.#info, path)).flatMap(([name, value]) => [
        name.toLowerCase(),
        value,
      ]),
      ...['access-control-expose-headers', 'ETag'],
    ];
    return { body, etag, headers };
  }
}

/** The memory that a file takes, in bytes. */
function sizeOf({ bytes, compressed }: CachedFile): number {
  const bodies = new Set([bytes, ...Object.values(compressed).map(({ body }) => body)]);
  return [...bodies].reduce((sum, { length }) => sum + length + entryBytes, 0);
}

/** Runs the work of a key only once at a time; calls during the work get its result. */
function shared<Result>(): (key: string, work: () => Promise<Result>) => Promise<Result> {
  const inProgress = new Map<string, Promise<Result>>();
  return (key, work) => {
    const running = inProgress.get(key) ?? work().finally(() => inProgress.delete(key));
    inProgress.set(key, running);
    return running;
  };
}

function isCompressible({ type, bytes }: CachedFile): boolean {
  return bytes.length >= minCompressedBytes && /^text\/|json|xml|svg|javascript/.test(type);
}

/** Reads a whole file through one descriptor, so that a rename meanwhile cannot mix two files. */
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
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG')) return null;
    throw error;
  }
}

/** One build while the server serves it. */
export interface LiveBuild {
  info: BuildInfo;
  /** The folders with its files. If `dist` is a link, its target at the time. */
  folders: BuildFolders;
  /** How its files are served. */
  rules: SiteRules;
  /** The path of the base URL, without a slash at its end. */
  basePath: string;
  /** The paths that the API is served below: the paths of the base URL and of `runtimeUrl`, which may be the same. */
  mounts: readonly string[];
  /** The slugs of its agents. */
  slugs: ReadonlySet<string>;
  files: FileCache;
  mcp: McpCatalog;
}

/** Follows a folder whose build may change while it is served. */
export interface BuildFollower {
  current(): LiveBuild;
  /**
   * Switches to a new build if there is one, and resolves when it is live. A broken build is refused and logged once, and
   * the last good one stays.
   */
  refresh(): Promise<void>;
  stop(): void;
}

/** How often build.json is checked, in milliseconds. */
const lookMs = 250;
/** How long to wait before a refused build is loaded again, in milliseconds: someone may have corrected it in place. */
const retryMs = 10_000;

/**
 * Serves the build in `dist` and switches to each new one. A new build either renames its files into place, or switches
 * `dist` if it is a link; in both cases build.json changes last. If files are not yet in place, perhaps because the
 * process was killed, they are read from the staging folder, so that builds are never mixed (C4.27).
 *
 * A new build is loaded in slices, and requests get the previous one until the new one is complete. Rejects with
 * OperationError if no build can be served.
 */
export async function followBuild(dist: string, rules: SiteRules, log: Logger): Promise<BuildFollower> {
  let mark = markOf(dist);
  let build = await load(dist, rules, (message) => log.warn(message));
  let retryAt = Number.POSITIVE_INFINITY;
  let switching: Promise<void> | null = null;
  const timer = setInterval(refresh, lookMs);
  timer.unref();

  function refresh(): Promise<void> {
    if (switching === null && markOf(dist) === mark && performance.now() < retryAt) return Promise.resolve();
    switching ??= switchToNext().finally(() => {
      switching = null;
    });
    return switching;
  }

  async function switchToNext(): Promise<void> {
    for (let now = markOf(dist); now !== mark || performance.now() >= retryAt; now = markOf(dist)) {
      const isNew = now !== mark;
      mark = now;
      retryAt = Number.POSITIVE_INFINITY;
      if (isNowInPlace(dist, build)) continue;
      try {
        const next = await load(dist, rules);
        log.info({ build: next.info.id, before: build.info.id, agents: next.slugs.size }, 'switched to a new build');
        build = next;
      } catch (error) {
        retryAt = performance.now() + retryMs;
        const message = 'the new build cannot be served; still serving the last good one';
        if (isNew) log.error({ err: error, build: build.info.id }, message);
      }
    }
  }
  return { current: () => build, refresh, stop: () => clearInterval(timer) };
}

/**
 * Whether the files of a build that was read from its staging folder are now all in place, with no other build pending.
 */
function isNowInPlace(dist: string, { folders, info }: LiveBuild): boolean {
  if (folders.roots.length === 1) return false;
  return orElse(() => {
    const root = realpathSync(dist);
    const { id } = parseBuildInfo(readFileSync(join(root, buildFile)));
    return root === folders.roots.at(-1) && id === info.id && findPending(root) === null;
  }, false);
}

/** Returns a text that changes whenever build.json or a staging folder changes, even behind a link. */
function markOf(dist: string): string {
  try {
    const { dev, ino, mtimeNs, size } = statSync(join(dist, buildFile), { bigint: true });
    return [dev, ino, mtimeNs, size, ...pendingFolders(realpathSync(dist))].join(':');
  } catch (error) {
    // The server goes on if `dist` cannot be read, and notices when this changes.
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** The path of a base URL, without a slash at its end. */
function basePathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}

/** Loads the build in `dist`. With `warn`, a mix of two builds causes a warning instead of an error. */
async function load(dist: string, rules: SiteRules, warn?: (message: string) => void): Promise<LiveBuild> {
  try {
    const folders = foldersOf(realpathSync(dist));
    const info = parseBuildInfo(await readFirst(folders, buildFile));
    const basePath = basePathOf(info.baseUrl);
    const files = new FileCache(readerOf(folders), info, rules);
    const mcp = await loadMcpCatalog(async (path) => {
      const file = await files.get(path);
      return file === 'large' ? readFirst(folders, path) : (file?.bytes ?? null);
    }, info.moved);
    if (mcp.agents.length !== info.counts.agents) {
      if (warn === undefined) throw new Error('api/agents.json is from another build');
      warn(`${dist} contains files of two builds. Run \`npx --no daily-agent-catalog build\` to complete it.`);
    }
    const mounts = [basePath, basePathOf(info.runtimeUrl ?? info.baseUrl)];
    return { info, folders, rules, basePath, mounts, slugs: new Set(mcp.bySlug.keys()), files, mcp };
  } catch (error) {
    throw noBuild(dist, error);
  }
}

/** Returns the folders with the files of the build in `root`. A staging folder comes before the final one. */
function foldersOf(root: string): BuildFolders {
  const pending = findPending(root);
  return pending === null
    ? { roots: [root], removed: new Set() }
    : { roots: [pending.staged, root], removed: new Set(pending.removed) };
}

/** Reads a file of a build. Rejects with ENOENT if it does not exist. */
async function readFirst({ roots }: BuildFolders, path: string): Promise<Buffer> {
  for (const root of roots.slice(0, -1)) {
    const bytes = await readFile(join(root, path)).catch(() => null);
    if (bytes !== null) return bytes;
  }
  return readFile(join(roots.at(-1) ?? '', path));
}

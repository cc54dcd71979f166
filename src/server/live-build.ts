import { realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type BuildInfo, buildFile } from '../build/render.ts';
import { OperationError } from '../diagnostics.ts';
import { loadMcpCatalog, type McpCatalog } from '../mcp/catalog.ts';
import { type FileCache, fileCache } from './file-cache.ts';

/** One build as the server serves it, from its taking up to the next. */
export interface LiveBuild {
  info: BuildInfo;
  /** The folder of this build; where `dist` is a link, the one that it led to. */
  root: string;
  /** The path of the base URL, without a slash at its end. */
  basePath: string;
  /** The slugs of its agents. */
  slugs: ReadonlySet<string>;
  files: FileCache;
  /** Which file answers a path of a request, for the paths asked most. */
  found: LRUCache<string, string>;
  mcp: McpCatalog;
}

/** Follows a folder whose build changes while it is served. */
export interface BuildFollower {
  current(): LiveBuild;
  /**
   * Takes up a new build now if there is one; resolves when it is live. A broken one is refused and told once; the last
   * good one stays.
   */
  refresh(): Promise<void>;
  stop(): void;
}

/** How many paths of requests are remembered. */
const maxFound = 10_000;

/** How often build.json is looked at, in milliseconds. */
const lookMs = 250;

/**
 * Follows the build in `dist`, whether its files are renamed into place or `dist` is a link that is switched: in both
 * cases build.json changes last.
 *
 * A build is live once all of it is loaded, which is done in slices: requests are answered from the last one meanwhile.
 * Rejects with OperationError when there is no build that can be served.
 */
export async function followBuild(dist: string, log: Logger): Promise<BuildFollower> {
  let mark = markOf(dist);
  let build = await load(dist);
  let takingUp: Promise<void> | null = null;
  const timer = setInterval(refresh, lookMs);
  timer.unref();

  function refresh(): Promise<void> {
    if (takingUp === null && markOf(dist) === mark) return Promise.resolve();
    takingUp ??= takeUp().finally(() => {
      takingUp = null;
    });
    return takingUp;
  }

  async function takeUp(): Promise<void> {
    for (let now = markOf(dist); now !== mark; now = markOf(dist)) {
      mark = now;
      try {
        const next = await load(dist);
        log.info({ build: next.info.id, before: build.info.id, agents: next.slugs.size }, 'took up a new build');
        build = next;
      } catch (error) {
        log.error({ err: error, build: build.info.id }, 'the new build cannot be served; the last good one stays');
      }
    }
  }
  return { current: () => build, refresh, stop: () => clearInterval(timer) };
}

/** What changes when build.json does, also through a link: its device, inode, time and size. */
function markOf(dist: string): string {
  try {
    const { dev, ino, mtimeNs, size } = statSync(join(dist, buildFile), { bigint: true });
    return `${dev}:${ino}:${mtimeNs}:${size}`;
  } catch (error) {
    // Also a link to itself, or a folder that may not be entered: nothing that is done to dist/ ends the server.
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** The path of a base URL, without a slash at its end. */
export function basePathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}

async function load(dist: string): Promise<LiveBuild> {
  try {
    const root = realpathSync(dist);
    const info = JSON.parse(await readFile(join(root, buildFile), 'utf8')) as BuildInfo;
    const basePath = basePathOf(info.baseUrl);
    const files = fileCache(root, info);
    const mcp = await loadMcpCatalog((path) => readBuildFile(root, files, path), info.moved);
    if (mcp.agents.length !== info.counts.agents) throw new Error('api/agents.json is not of this build');
    const found = new LRUCache<string, string>({ max: maxFound });
    return { info, root, basePath, slugs: new Set(mcp.bySlug.keys()), files, found, mcp };
  } catch (error) {
    throw new OperationError(
      `${dist} holds no build that can be served (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}). ` +
        'Run `catalog build` first, or start with `catalog serve --build`.',
    );
  }
}

/** A file of a build, from the cache where it fits. */
async function readBuildFile(root: string, files: FileCache, path: string): Promise<Buffer | null> {
  const file = await files.get(path);
  return file === 'large' ? readFile(join(root, path)) : (file?.bytes ?? null);
}

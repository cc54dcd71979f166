import { readFileSync, realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type BuildInfo, buildFile, parseBuildInfo } from '../schema/documents.ts';
import { noBuild } from '../storage/build-folder.ts';
import { findPending, pendingFolders } from '../storage/unfinished-build.ts';
import { type BuildFolders, FileCache, readerOf, type SiteRules } from './file-cache.ts';
import { loadMcpCatalog, type McpCatalog } from './mcp/catalog.ts';

/** One build while the server serves it. */
export interface LiveBuild {
  info: BuildInfo;
  /** The folders with its files. If `dist` is a link, its target at the time. */
  folders: BuildFolders;
  /** How its files are served. */
  rules: SiteRules;
  /** The path of the base URL, without a slash at its end. */
  basePath: string;
  /** The slugs of its agents. */
  slugs: ReadonlySet<string>;
  files: FileCache;
  /** Maps the paths of the most frequent requests to files. */
  found: LRUCache<string, string>;
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

/** How many paths of requests `found` remembers. */
export const maxFound = 10_000;

/** How often build.json is checked, in milliseconds. */
const lookMs = 250;

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
  let switching: Promise<void> | null = null;
  const timer = setInterval(refresh, lookMs);
  timer.unref();

  function refresh(): Promise<void> {
    if (switching === null && markOf(dist) === mark) return Promise.resolve();
    switching ??= switchToNext().finally(() => {
      switching = null;
    });
    return switching;
  }

  async function switchToNext(): Promise<void> {
    for (let now = markOf(dist); now !== mark; now = markOf(dist)) {
      mark = now;
      if (isNowInPlace(dist, build)) continue;
      try {
        const next = await load(dist, rules);
        log.info({ build: next.info.id, before: build.info.id, agents: next.slugs.size }, 'switched to a new build');
        build = next;
      } catch (error) {
        log.error(
          { err: error, build: build.info.id },
          'the new build cannot be served; still serving the last good one',
        );
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
  try {
    const root = realpathSync(dist);
    const { id } = parseBuildInfo(readFileSync(join(root, buildFile)));
    return root === folders.roots.at(-1) && id === info.id && findPending(root) === null;
  } catch {
    return false;
  }
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
export function basePathOf(url: string): string {
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
      warn(`${dist} contains files of two builds. Run \`catalog build\` to complete it.`);
    }
    const found = new LRUCache<string, string>({ max: maxFound });
    return { info, folders, rules, basePath, slugs: new Set(mcp.bySlug.keys()), files, found, mcp };
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

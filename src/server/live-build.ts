import { readFileSync, realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { findPending, pendingFolders } from '../build-folder/unfinished-build.ts';
import { OperationError } from '../errors.ts';
import { loadMcpCatalog, type McpCatalog } from '../mcp/catalog.ts';
import { type BuildInfo, buildFile, parseBuildInfo } from '../schema/build-info.ts';
import { type BuildFolders, FileCache, type SiteRules } from './file-cache.ts';

/** One build while the server serves it. */
export interface LiveBuild {
  info: BuildInfo;
  /** Where its files are. If `dist` is a link, this is the folder to which it led. */
  folders: BuildFolders;
  /** How its files are served. */
  rules: SiteRules;
  /** The path of the base URL, without a slash at its end. */
  basePath: string;
  /** The slugs of its agents. */
  slugs: ReadonlySet<string>;
  files: FileCache;
  /** From the path of a request to its file, for the most requested paths. */
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
const maxFound = 10_000;

/** How often build.json is checked, in milliseconds. */
const lookMs = 250;

/**
 * Follows the build in `dist`. Either its files are renamed into place, or `dist` is a link that is switched; in both
 * cases build.json changes last. Files that are not yet renamed, perhaps because the process was killed, are read from
 * where they are staged, so that no two builds are mixed (C4.27).
 *
 * A new build is loaded in slices and goes live once it is complete. Until then the previous one answers. Rejects with
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
      if (isInPlaceNow(dist, build)) continue;
      try {
        const next = await load(dist, rules);
        log.info({ build: next.info.id, before: build.info.id, agents: next.slugs.size }, 'switched to a new build');
        build = next;
      } catch (error) {
        log.error({ err: error, build: build.info.id }, 'the new build cannot be served; the last good one stays');
      }
    }
  }
  return { current: () => build, refresh, stop: () => clearInterval(timer) };
}

/** Whether a build that was read where it was staged is now completely in its folder, and no other is pending. */
function isInPlaceNow(dist: string, { folders, info }: LiveBuild): boolean {
  if (folders.roots.length === 1) return false;
  try {
    const root = realpathSync(dist);
    const { id } = parseBuildInfo(readFileSync(join(root, buildFile)));
    return root === folders.roots.at(-1) && id === info.id && findPending(root) === null;
  } catch {
    return false;
  }
}

/** A text that changes with build.json, also behind a link, or with the staged folders: device, inode, time, size. */
function markOf(dist: string): string {
  try {
    const { dev, ino, mtimeNs, size } = statSync(join(dist, buildFile), { bigint: true });
    return [dev, ino, mtimeNs, size, ...pendingFolders(realpathSync(dist))].join(':');
  } catch (error) {
    // This includes a link to itself and a folder without permission: no change to dist/ may end the server.
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** The path of a base URL, without a slash at its end. */
export function basePathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}

/** Loads the build in `dist`. With `warn`, a list of agents from another build is a warning instead of an error. */
async function load(dist: string, rules: SiteRules, warn?: (message: string) => void): Promise<LiveBuild> {
  try {
    const folders = foldersOf(realpathSync(dist));
    const info = parseBuildInfo(await readFirst(folders, buildFile));
    const basePath = basePathOf(info.baseUrl);
    const files = new FileCache(folders, info, rules);
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
    throw new OperationError(
      `${dist} has no build that can be served (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}). ` +
        'Run `catalog build` first, or start with `catalog serve --build`.',
    );
  }
}

/** Where the files of the build in `root` are: first those of a pending build, then those in place. */
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

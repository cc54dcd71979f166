import { readFileSync, realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { findPending, pendingFolders } from '../build-folder/pending.ts';
import { OperationError } from '../errors.ts';
import { loadMcpCatalog, type McpCatalog } from '../mcp/catalog.ts';
import { type BuildInfo, buildFile, parseBuildInfo } from '../schema/build-info.ts';
import { type BuildFolders, type FileCache, fileCache, type SiteRules } from './file-cache.ts';

/** One build as the server serves it, from its taking up to the next. */
export interface LiveBuild {
  info: BuildInfo;
  /** Where its files are. Where `dist` is a link, in the folder that it led to. */
  folders: BuildFolders;
  /** How its files are served. */
  rules: SiteRules;
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
 * cases build.json changes last. A build whose files are still being renamed, or whose process was killed meanwhile, is
 * read from the folder where it is staged: what is served is always one build.
 *
 * A build is live once all of it is loaded, which is done in slices: requests are answered from the last one meanwhile.
 * Rejects with OperationError when there is no build that can be served.
 */
export async function followBuild(dist: string, rules: SiteRules, log: Logger): Promise<BuildFollower> {
  let mark = markOf(dist);
  let build = await load(dist, rules, (message) => log.warn(message));
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
      if (isInPlaceNow(dist, build)) continue;
      try {
        const next = await load(dist, rules);
        log.info({ build: next.info.id, before: build.info.id, agents: next.slugs.size }, 'took up a new build');
        build = next;
      } catch (error) {
        log.error({ err: error, build: build.info.id }, 'the new build cannot be served; the last good one stays');
      }
    }
  }
  return { current: () => build, refresh, stop: () => clearInterval(timer) };
}

/** Whether a build that was read from where it was staged is now the one in its folder, with no other on its way. */
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

/** What changes when build.json does, also through a link: its device, inode, time and size; and what is staged. */
function markOf(dist: string): string {
  try {
    const { dev, ino, mtimeNs, size } = statSync(join(dist, buildFile), { bigint: true });
    return [dev, ino, mtimeNs, size, ...pendingFolders(realpathSync(dist))].join(':');
  } catch (error) {
    // Also a link to itself, or a folder that may not be entered: nothing that is done to dist/ ends the server.
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** The path of a base URL, without a slash at its end. */
export function basePathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '');
}

/** Loads the build in `dist`. Where `warn` is given, a list of agents that is of another build is no reason to refuse it. */
async function load(dist: string, rules: SiteRules, warn?: (message: string) => void): Promise<LiveBuild> {
  try {
    const folders = foldersOf(realpathSync(dist));
    const info = parseBuildInfo(await readFirst(folders, buildFile));
    const basePath = basePathOf(info.baseUrl);
    const files = fileCache(folders, info, rules);
    const mcp = await loadMcpCatalog(async (path) => {
      const file = await files.get(path);
      return file === 'large' ? readFirst(folders, path) : (file?.bytes ?? null);
    }, info.moved);
    if (mcp.agents.length !== info.counts.agents) {
      if (warn === undefined) throw new Error('api/agents.json is not of this build');
      warn(`${dist} holds files of two builds. Run \`catalog build\` to complete it.`);
    }
    const found = new LRUCache<string, string>({ max: maxFound });
    return { info, folders, rules, basePath, slugs: new Set(mcp.bySlug.keys()), files, found, mcp };
  } catch (error) {
    throw new OperationError(
      `${dist} holds no build that can be served (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}). ` +
        'Run `catalog build` first, or start with `catalog serve --build`.',
    );
  }
}

/** Where the files of the build in the folder `root` are: those of a pending build count before those in place. */
function foldersOf(root: string): BuildFolders {
  const pending = findPending(root);
  return pending === null
    ? { roots: [root], removed: new Set() }
    : { roots: [pending.staged, root], removed: new Set(pending.removed) };
}

/** A file of a build. Rejects with ENOENT where there is none. */
async function readFirst({ roots }: BuildFolders, path: string): Promise<Buffer> {
  for (const root of roots.slice(0, -1)) {
    const bytes = await readFile(join(root, path)).catch(() => null);
    if (bytes !== null) return bytes;
  }
  return readFile(join(roots.at(-1) ?? '', path));
}

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The cache folder: `CATALOG_CACHE`, or else a folder of this program where the system keeps user caches; null if
 * neither is known.
 */
export function cacheFolder(
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string | null {
  if (environment.CATALOG_CACHE) return environment.CATALOG_CACHE;
  const caches = userCaches(environment, platform);
  return caches === null ? null : join(caches, 'daily-agent-catalog');
}

function userCaches(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | null {
  if (platform === 'win32') return environment.LOCALAPPDATA || null;
  if (environment.XDG_CACHE_HOME) return environment.XDG_CACHE_HOME;
  if (!environment.HOME) return null;
  return platform === 'darwin' ? join(environment.HOME, 'Library', 'Caches') : join(environment.HOME, '.cache');
}

/**
 * Like mkdirSync with `recursive`, which in Node 20 never returns if no folder can be made in an existing one (/proc).
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

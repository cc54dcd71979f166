import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  futimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Rendered pictures between builds, by a key that names their content. It is a hint: where it can't be read or
 * written, or holds something else, builds take longer and are otherwise the same.
 */
export interface PictureCache {
  read(key: string): Buffer | null;
  write(key: string, picture: Uint8Array): void;
}

/** How long a picture that no build has used is kept, in milliseconds: 60 days. */
const keptMs = 60 * 86_400_000;
/** How often the time of the last use is noted, in milliseconds: once a day. */
const notedMs = 86_400_000;

/** Of the hash that a file ends with, after its picture; viewers of pictures pass over it. */
const hashLength = 32;

/**
 * The folder of the cache: `CATALOG_CACHE`, else one of this program's own where the system keeps caches of a user;
 * null where neither is known.
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

/** The cache in `folder`, which need not exist. Nothing here throws. */
export function pictureCache(folder: string): PictureCache {
  const pictures = join(folder, 'share-pictures');
  let writable: boolean | undefined;

  /** Makes the folder and removes what was not used for long, once. */
  function open(): boolean {
    try {
      makeFolder(pictures);
      const oldest = Date.now() - keptMs;
      for (const name of readdirSync(pictures)) {
        const path = join(pictures, name);
        if (statSync(path).mtimeMs < oldest) rmSync(path);
      }
      return true;
    } catch {
      return false;
    }
  }

  return {
    read(key) {
      let file: number | undefined;
      try {
        file = openSync(join(pictures, `${key}.png`), 'r');
        const stored = readFileSync(file);
        const picture = stored.subarray(0, -hashLength);
        if (!sha256(picture).equals(stored.subarray(-hashLength))) return null;
        noteUse(file);
        return picture;
      } catch {
        return null;
      } finally {
        if (file !== undefined) closeSync(file);
      }
    },

    write(key, picture) {
      writable ??= open();
      if (!writable) return;
      const staged = join(pictures, `${key}.${randomUUID()}.part`);
      try {
        writeFileSync(staged, Buffer.concat([picture, sha256(picture)]));
        renameSync(staged, join(pictures, `${key}.png`));
      } catch {
        writable = false;
        rmSync(staged, { force: true });
      }
    },
  };
}

/** As mkdirSync with `recursive`, which never ends where a folder that is there takes no other (/proc, in Node 20). */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function noteUse(file: number): void {
  const now = Date.now();
  if (now - fstatSync(file).mtimeMs < notedMs) return;
  try {
    futimesSync(file, now / 1000, now / 1000);
  } catch {
    // A cache that may only be read.
  }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

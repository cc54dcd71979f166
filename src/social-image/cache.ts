import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  futimesSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../cache-folder.ts';

/**
 * Keeps drawn images between builds, by a key derived from their content. If a cached image cannot be read, is damaged,
 * or cannot be written, the image is drawn again, and the build is otherwise the same.
 */
export interface ImageCache {
  read(key: string): Buffer | null;
  write(key: string, image: Uint8Array): void;
}

/** How long an unused image is kept, in milliseconds: 60 days. */
const keptMs = 60 * 86_400_000;
/** How often the time of the last use is recorded, in milliseconds: once a day. */
const recordedMs = 86_400_000;

/** The length of the hash that follows the image in a file. Image viewers ignore it. */
const hashLength = 32;

/** The cache in `folder`, which need not exist. Nothing here throws. */
export function imageCache(folder: string): ImageCache {
  const images = join(folder, 'social-images');
  let writable: boolean | undefined;

  /** Makes the folder and removes images that were not used for a long time. */
  function open(): boolean {
    try {
      makeFolder(images);
      const oldest = Date.now() - keptMs;
      for (const name of readdirSync(images)) {
        const path = join(images, name);
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
        file = openSync(join(images, `${key}.png`), 'r');
        const stored = readFileSync(file);
        const image = stored.subarray(0, -hashLength);
        if (!sha256(image).equals(stored.subarray(-hashLength))) return null;
        recordUse(file);
        return image;
      } catch {
        return null;
      } finally {
        if (file !== undefined) closeSync(file);
      }
    },

    write(key, image) {
      writable ??= open();
      if (!writable) return;
      const staged = join(images, `${key}.${randomUUID()}.part`);
      try {
        writeFileSync(staged, Buffer.concat([image, sha256(image)]));
        renameSync(staged, join(images, `${key}.png`));
      } catch {
        writable = false;
        rmSync(staged, { force: true });
      }
    },
  };
}

function recordUse(file: number): void {
  const now = Date.now();
  if (now - fstatSync(file).mtimeMs < recordedMs) return;
  try {
    futimesSync(file, now / 1000, now / 1000);
  } catch {
    // The cache is read-only.
  }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

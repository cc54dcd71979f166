import { basename, dirname, join } from 'node:path';
import { type Disk, reasonOf } from './disk.ts';

/** What the owner of a file writes beside it before it takes the place of something: drafts that may hold lines. */
const ownDraft = /^(?:\.torn)?\.erasing$|^\.redacting$|^\.probe$|^\.secret\.[0-9a-f]{12}$/;

/** The draft of a lock. It is there for an instant, while a process tries to become the owner. */
const lockDraft = /^\.lock\.(?:takeover\.)?[0-9a-f]{32}$/;

/** How old the draft of a lock is at least if its process was killed, in milliseconds. */
const abandonedMs = 60_000;

export interface LeftoverOptions {
  /** The file, of which this process is the owner. */
  file: string;
  disk: Disk;
  now(): Date;
  warn(message: string): void;
}

/** Removes what processes that were killed left beside a file. What cannot be removed is told, and stops nothing. */
export async function removeLeftovers({ file, disk, now, warn }: LeftoverOptions): Promise<void> {
  const [folder, name] = [dirname(file), basename(file)];
  try {
    for (const each of await disk.readdir(folder)) {
      const ending = each.startsWith(name) ? each.slice(name.length) : '';
      const path = join(folder, each);
      if (ownDraft.test(ending) || (lockDraft.test(ending) && (await isAbandoned(path, { disk, now })))) {
        await disk.unlink(path);
      }
    }
  } catch (error) {
    warn(`What an earlier process left beside ${file} cannot be removed (${reasonOf(error)}).`);
  }
}

async function isAbandoned(path: string, { disk, now }: Pick<LeftoverOptions, 'disk' | 'now'>): Promise<boolean> {
  return now().getTime() - (await disk.stat(path)).mtimeMs > abandonedMs;
}

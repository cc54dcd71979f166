import { basename, dirname, join } from 'node:path';
import { type Disk, reasonOf } from './disk.ts';

/** Drafts of the file's owner. They may contain lines. */
const ownDraft = /^(?:\.torn)?\.erasing$|^\.redacting$|^\.probe$|^\.secret\.[0-9a-f]{12}$/;

/** The draft of a lock. It exists for a moment, while a process tries to become the owner. */
const lockDraft = /^\.lock\.(?:takeover\.)?[0-9a-f]{32}$/;

/** How old a lock draft must be to count as abandoned, in milliseconds. */
const abandonedMs = 60_000;

export interface LeftoverOptions {
  /** The file, which this process owns. */
  file: string;
  disk: Disk;
  now(): Date;
  warn(message: string): void;
}

/** Removes drafts that killed processes left next to a file. If that fails, it warns and continues. */
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
    warn(`Temporary files that an earlier process left next to ${file} cannot be removed (${reasonOf(error)}).`);
  }
}

async function isAbandoned(path: string, { disk, now }: Pick<LeftoverOptions, 'disk' | 'now'>): Promise<boolean> {
  return now().getTime() - (await disk.stat(path)).mtimeMs > abandonedMs;
}

import { lstatSync, readdirSync, statSync } from 'node:fs';
import { folderStampOf, outputStampOf } from '../stamps.ts';

/** The stamps of the folders of a build, by their path in it. */
export type FolderStamps = ReadonlyMap<string, string>;

/**
 * The folder of a build, as it is before the next build changes it. Folders with the stamps that the last build left still
 * have the files of that build, so they are not listed.
 */
export class BuiltFolder {
  readonly #root: string;
  /** The folders that have not changed since the last build. */
  readonly #unchanged: FolderStamps;
  readonly #known: FolderStamps;

  constructor(root: string, known: FolderStamps) {
    this.#root = root;
    this.#known = known;
    this.#unchanged = new Map([...known].filter(([path, stamp]) => this.#folderStamp(path) === stamp));
  }

  /** The stamp of a file, or null if there is none. */
  stampOf(path: string): string | null {
    const stats = statsOf(statSync, `${this.#root}/${path}`);
    return stats?.isFile() ? outputStampOf(stats) : null;
  }

  /** Whether the folder of a file has the same names as after the last build. */
  hasSameNames(path: string): boolean {
    return this.#unchanged.has(path.slice(0, Math.max(0, path.lastIndexOf('/'))));
  }

  /** Returns the files that have another path than those of the next build. `last` are the paths of the last build. */
  filesBesides(next: { has(path: string): boolean }, last: Iterable<string>): string[] {
    const listed = this.#known.has('') ? [] : this.#list('');
    for (const path of this.#known.keys()) if (!this.#unchanged.has(path)) listed.push(...this.#list(path));
    for (const path of last) if (!next.has(path) && this.hasSameNames(path)) listed.push(path);
    return listed.filter((path) => !next.has(path));
  }

  /** Returns the stamps of the folders of all `files` after a build that changed or removed those in `touched`. */
  stampsAfter(files: Iterable<string>, touched: Iterable<string>): FolderStamps {
    const changed = foldersOf(touched);
    return new Map(
      Array.from(foldersOf(files), (path) => {
        const same = changed.has(path) ? undefined : this.#unchanged.get(path);
        return [path, same ?? this.#folderStamp(path) ?? ''];
      }),
    );
  }

  /** The files in a folder, and in all folders below that the last build did not have. */
  #list(folder: string): string[] {
    const at = folder === '' ? '' : `${folder}/`;
    if (this.#folderStamp(folder) === null) return [];
    return readdirSync(`${this.#root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
      const path = at + entry.name;
      if (!entry.isDirectory()) return [path];
      return this.#known.has(path) ? [] : this.#list(path);
    });
  }

  #folderStamp(path: string): string | null {
    const stats = statsOf(lstatSync, `${this.#root}/${path}`);
    return stats?.isDirectory() ? folderStampOf(stats) : null;
  }
}

/** The stats of a path; undefined if there is nothing, or if one of its folders is a file. */
function statsOf(read: typeof statSync | typeof lstatSync, path: string) {
  try {
    return read(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** The folders that contain some files, directly or not; '' for the root. */
function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set(['']);
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

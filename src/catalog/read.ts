import { type Dirent, lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { compareText } from '../compare.ts';
import { isFresh, stampOf } from '../stamps.ts';

/** An entry of agents/ as read from disk, not yet parsed. */
export interface SourceFolder {
  slug: string;
  files: SourceFile[];
  /** Why the folder could not be read, or null. */
  problem: ReadProblem | null;
  /** The names and stamps of its files (see ../stamps.ts); null if a file is too new or not a file. Absent if not on the disk. */
  stamp?: string | null;
}

export interface SourceFile {
  name: string;
  /** Null if the file could not be read. */
  bytes: Buffer | null;
  problem: ReadProblem | null;
}

/**
 * Why a file or folder could not be read. `reason` depends on the kind: `unreadable` has the code of the system error,
 * such as EACCES; `too-large` has the size in bytes; and `not-a-file` has `folder` if it is one.
 */
export interface ReadProblem {
  kind: 'unreadable' | 'symlink' | 'not-a-folder' | 'not-a-file' | 'too-large';
  reason: string;
}

/** The largest file that is read, in bytes. */
export const maxFileBytes = 256 * 1024;

/**
 * Lists every entry of agents/ in the folder `catalog`. The entries and their files are sorted by name. The files of a
 * folder are read when they are first used.
 *
 * Hidden entries, such as .gitkeep and .DS_Store, are ignored. If agents/ is missing, there are no entries. Throws the
 * system error if agents/ cannot be read.
 */
export function readAgents(catalog: string): SourceFolder[] {
  const root = join(catalog, 'agents');
  return listEntries(root).map((entry) => {
    if (entry.isSymbolicLink()) return folder(entry.name, [], { kind: 'symlink', reason: '' });
    if (!entry.isDirectory()) return folder(entry.name, [], { kind: 'not-a-folder', reason: '' });
    try {
      return lazyFolder(join(root, entry.name), entry.name);
    } catch (error) {
      return folder(entry.name, [], { kind: 'unreadable', reason: systemCode(error) });
    }
  });
}

function listEntries(root: string) {
  try {
    return visible(root);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function lazyFolder(path: string, slug: string): SourceFolder {
  const entries = visible(path);
  let files: SourceFile[] | undefined;
  return {
    slug,
    problem: null,
    get stamp() {
      const now = Date.now();
      const stats = entries.map(({ name }) => lstatSync(join(path, name), { throwIfNoEntry: false }));
      if (stats.some((file) => file === undefined || !file.isFile() || isFresh(file, now))) return null;
      return entries.map(({ name }, index) => `${name} ${stampOf(stats[index] as Stats)}`).join('\n');
    },
    get files() {
      files ??= readFiles(path, entries);
      return files;
    },
  };
}

function readFiles(path: string, entries: readonly Dirent[]): SourceFile[] {
  return entries.map((entry) => {
    if (entry.isSymbolicLink()) return problem(entry.name, 'symlink');
    if (!entry.isFile()) return problem(entry.name, 'not-a-file', entry.isDirectory() ? 'folder' : '');
    try {
      const bytes = readFileSync(join(path, entry.name));
      if (bytes.length > maxFileBytes) return problem(entry.name, 'too-large', String(bytes.length));
      return { name: entry.name, bytes, problem: null };
    } catch (error) {
      return problem(entry.name, 'unreadable', systemCode(error));
    }
  });
}

function visible(path: string) {
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .sort((a, b) => compareText(a.name, b.name));
}

function folder(slug: string, files: SourceFile[], problem: ReadProblem | null = null): SourceFolder {
  return { slug, files, problem };
}

function problem(name: string, kind: ReadProblem['kind'], reason = ''): SourceFile {
  return { name, bytes: null, problem: { kind, reason } };
}

function systemCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

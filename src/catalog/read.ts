import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareText } from '../compare.ts';

/** An entry of agents/ as it lies on the disk, before anyone looks at what it says. */
export interface SourceFolder {
  slug: string;
  files: SourceFile[];
  /** Why the folder could not be read, or null. */
  trouble: Trouble | null;
}

export interface SourceFile {
  name: string;
  /** Null where there is trouble. */
  bytes: Buffer | null;
  trouble: Trouble | null;
}

/** `reason` is the system's word for it, such as EACCES, for `unreadable`; the size in bytes for `too-large`;
 * `folder` for a `not-a-file` that is one. */
export interface Trouble {
  kind: 'unreadable' | 'symlink' | 'not-a-folder' | 'not-a-file' | 'too-large';
  reason: string;
}

/** The largest file that is read, in bytes. */
export const maxFileBytes = 256 * 1024;

/**
 * Reads every entry of agents/ below the folder `catalog`, sorted by name, with the files of each sorted by name.
 *
 * Hidden entries (.gitkeep, .DS_Store) are passed over. A missing agents/ holds no agents. Throws the system's error
 * when agents/ itself cannot be read.
 */
export function readAgents(catalog: string): SourceFolder[] {
  const root = join(catalog, 'agents');
  return listEntries(root).map((entry) => {
    if (entry.isSymbolicLink()) return folder(entry.name, [], { kind: 'symlink', reason: '' });
    if (!entry.isDirectory()) return folder(entry.name, [], { kind: 'not-a-folder', reason: '' });
    try {
      return folder(entry.name, readFiles(join(root, entry.name)));
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

function readFiles(path: string): SourceFile[] {
  return visible(path).map((entry) => {
    if (entry.isSymbolicLink()) return trouble(entry.name, 'symlink');
    if (!entry.isFile()) return trouble(entry.name, 'not-a-file', entry.isDirectory() ? 'folder' : '');
    try {
      const bytes = readFileSync(join(path, entry.name));
      if (bytes.length > maxFileBytes) return trouble(entry.name, 'too-large', String(bytes.length));
      return { name: entry.name, bytes, trouble: null };
    } catch (error) {
      return trouble(entry.name, 'unreadable', systemCode(error));
    }
  });
}

function visible(path: string) {
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .sort((a, b) => compareText(a.name, b.name));
}

function folder(slug: string, files: SourceFile[], trouble: Trouble | null = null): SourceFolder {
  return { slug, files, trouble };
}

function trouble(name: string, kind: Trouble['kind'], reason = ''): SourceFile {
  return { name, bytes: null, trouble: { kind, reason } };
}

function systemCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

import { type Dirent, lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { digestOf, forEachStamp, noStamps, type Stamps, sourceStamps } from '../lib/files.ts';
import { onceForLast } from '../lib/lazy.ts';
import { compareText } from '../lib/text.ts';

/** An entry of agents/ as read from disk, not yet parsed. */
export interface SourceFolder {
  slug: string;
  files: SourceFile[];
  /** Why the folder could not be read, or null. */
  problem: ReadProblem | null;
  /** A hash of the names and stamps of everything in it (see lib/files.ts); null if a file is too new. Absent if not on the disk. */
  stamp?: string | null;
}

export interface SourceFile {
  /** Its path in the folder of the agent, such as `prompt.txt` or `evals/checks.yaml`. */
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
 * folder are read when they are used, and only those of the last folder are kept: together they would take more memory
 * than what is made of them.
 *
 * Hidden entries, such as .gitkeep and .DS_Store, are ignored. If agents/ is missing, there are no entries. `sources`
 * are the stamps of everything in agents/, if they are known. Throws the system error if agents/ cannot be read.
 */
export function readAgents(catalog: string, sources: Stamps = noStamps): SourceFolder[] {
  const root = join(catalog, 'agents');
  const stamps = stampsByFolder(root, sources);
  const read = onceForLast(readFolder);
  return listEntries(root).map((entry) => readEntry(root, entry.name, entry, { read, stamp: stamps.get(entry.name) }));
}

/** Returns a folder that is not on the disk, with these texts by file name. */
export function folderOf(slug: string, texts: ReadonlyMap<string, string>): SourceFolder {
  return folder(
    slug,
    [...texts].map(([name, text]) => ({ name, bytes: Buffer.from(text), problem: null })),
  );
}

/** Reads the entry of agents/ with this name, as `readAgents` does; null if there is none. */
export function readAgent(catalog: string, name: string): SourceFolder | null {
  const root = join(catalog, 'agents');
  const stats = lstatSync(join(root, name), { throwIfNoEntry: false });
  return stats === undefined ? null : readEntry(root, name, stats, { read: onceForLast(readFolder) });
}

/** Returns a folder whose files are listed and read with `read` when they are used. */
function readEntry(
  root: string,
  name: string,
  type: Pick<Stats, 'isSymbolicLink' | 'isDirectory'>,
  { read, stamp }: { read: typeof readFolder; stamp?: string | null | undefined },
): SourceFolder {
  if (type.isSymbolicLink()) return folder(name, [], { kind: 'symlink', reason: '' });
  if (!type.isDirectory()) return folder(name, [], { kind: 'not-a-folder', reason: '' });
  const path = `${root}/${name}`;
  return {
    slug: name,
    get files() {
      return read(path).files;
    },
    get problem() {
      return read(path).problem;
    },
    get stamp() {
      return stamp === undefined ? (stampsByFolder(root, sourceStamps([path])).get(name) ?? null) : stamp;
    },
  };
}

function listEntries(root: string) {
  try {
    return visibleEntries(root);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function readFolder(path: string): Pick<SourceFolder, 'files' | 'problem'> {
  try {
    return { files: readFiles(path), problem: null };
  } catch (error) {
    return { files: [], problem: { kind: 'unreadable', reason: systemCode(error) } };
  }
}

/** A hash of the stamps of everything in each folder below `root`, by its name; null if one of them is null. */
function stampsByFolder(root: string, sources: Stamps): Map<string, string | null> {
  const stamps = new Map<string, string | null>();
  forEachStamp(sources, (path, stamp) => {
    if (!path.startsWith(`${root}/`)) return;
    const inside = path.slice(root.length + 1);
    const [slug = ''] = inside.split('/', 1);
    const before = stamps.get(slug) ?? (stamps.has(slug) ? null : '');
    stamps.set(slug, before === null || stamp === null ? null : `${before}${inside} ${stamp}\n`);
  });
  for (const [slug, stamp] of stamps) if (stamp !== null) stamps.set(slug, digestOf(stamp));
  return stamps;
}

/** The folders of an agent that can contain more files: its cases, wrong answers, and the recorded ones of each model. */
const nested = /^evals(?:\/counterexamples|\/recordings(?:\/[^/]+)?)?$/;

/** Reads the files of a folder. `inside` is the path from the agent's folder, and starts the names of the files. */
function readFiles(path: string, inside = ''): SourceFile[] {
  return visibleEntries(path).flatMap((entry) => readFilesAt(join(path, entry.name), `${inside}${entry.name}`, entry));
}

function readFilesAt(path: string, name: string, entry: Dirent): SourceFile[] {
  if (entry.isSymbolicLink()) return [problem(name, 'symlink')];
  try {
    if (entry.isDirectory() && nested.test(name)) return readFiles(path, `${name}/`);
    if (!entry.isFile()) return [problem(name, 'not-a-file', entry.isDirectory() ? 'folder' : '')];
    const { size } = lstatSync(path);
    if (size > maxFileBytes) return [problem(name, 'too-large', String(size))];
    return [{ name, bytes: readFileSync(path), problem: null }];
  } catch (error) {
    return [problem(name, 'unreadable', systemCode(error))];
  }
}

function visibleEntries(path: string) {
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

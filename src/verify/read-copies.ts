import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { unzipSync } from 'fflate/browser';
import { compareText } from '../compare.ts';
import { OperationError, systemReason } from '../errors.ts';

/** A text or a folder that may be a copy of an agent. */
export interface Copy {
  /** As the user named it, or found below that. */
  path: string;
  kind: 'prompt' | 'skill' | 'plugin';
  /** Its files by path. A copy of one file has only that: `prompt.txt` or `SKILL.md`. */
  files: ReadonlyMap<string, Buffer>;
  /** Whether the user named it. Others were found in a folder, and may be anything. */
  named: boolean;
}

/** The most bytes of one file or archive, and of all files of a skill or plugin together. */
const mostBytes = 8 * 1024 * 1024;
/** The most files of an archive, skill or plugin. */
const mostFiles = 200;
/** The most files and folders that are looked at. */
const mostEntries = 50_000;

const manifests = ['plugin.json', '.claude-plugin/plugin.json'];

/** Something in a folder that cannot be checked, and why. */
export interface Unreadable {
  path: string;
  problem: string;
}

/**
 * Finds the copies in a file or folder, one after another: texts, and folders and zip archives of skills and plugins.
 * Links are followed, each target once.
 *
 * Throws OperationError if the path itself cannot be read or is no copy of anything.
 */
export function* readCopies(path: string): Generator<Copy | Unreadable> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new OperationError(`${path} does not exist.`);
  if (stats.isDirectory()) {
    yield* folderCopies(path, new Set(), true);
    return;
  }
  const copy = fileCopy(path, true);
  if (copy === null) throw new OperationError(`${path} is neither a text nor a zip archive of a skill or plugin.`);
  yield copy;
}

function* folderCopies(path: string, seen: Set<string>, named: boolean): Generator<Copy | Unreadable> {
  const kind = kindOf((file) => statSync(join(path, file), { throwIfNoEntry: false })?.isFile() === true);
  if (kind !== null) {
    yield { path, kind, files: filesIn(path), named };
    return;
  }
  for (const { name } of listed(path)) {
    const child = join(path, name);
    const stats = statSync(child, { throwIfNoEntry: false });
    const isText = stats?.isFile() === true && /\.(?:txt|md|zip)$/i.test(name);
    if (stats === undefined || !(isText || stats.isDirectory()) || name === '.git' || name === 'node_modules') continue;
    const real = realpathSync(child);
    if (seen.has(real)) continue;
    seen.add(real);
    if (seen.size > mostEntries)
      throw new TooMany(`There are more than ${mostEntries} files and folders up to ${path}. Name a smaller folder.`);
    try {
      const copy = isText ? fileCopy(child, false) : null;
      if (copy !== null) yield copy;
      if (!isText) yield* folderCopies(child, seen, false);
    } catch (error) {
      if (error instanceof TooMany || !(error instanceof OperationError)) throw error;
      yield { path: child, problem: error.message };
    }
  }
}

class TooMany extends OperationError {}

/** What a folder is, by the files that it has; null if it is neither a skill nor a plugin. */
function kindOf(has: (file: string) => boolean): 'skill' | 'plugin' | null {
  if (manifests.some(has)) return 'plugin';
  return has('SKILL.md') ? 'skill' : null;
}

function fileCopy(path: string, named: boolean): Copy | null {
  const bytes = boundedFile(path);
  if (bytes.toString('latin1', 0, 4) === 'PK\u0003\u0004') return archiveCopy(path, bytes, named);
  if (!isUtf8(bytes) || bytes.includes(0)) return null;
  const isSkill =
    basename(path) === 'SKILL.md' || /^\uFEFF?---\r?\n[\s\S]*?\n## Prompt\r?\n/.test(bytes.toString('utf8'));
  if (isSkill) return { path, kind: 'skill', files: new Map([['SKILL.md', bytes]]), named };
  return { path, kind: 'prompt', files: new Map([['prompt.txt', bytes]]), named };
}

/** A zip archive whose top, or one folder in it, is a skill or plugin; null if it is not. */
function archiveCopy(path: string, bytes: Buffer, named: boolean): Copy | null {
  const files = unzip(path, bytes);
  const tops = ['', ...new Set([...files.keys()].map((file) => /^[^/]+\//.exec(file)?.[0] ?? ''))];
  for (const top of tops) {
    const kind = kindOf((file) => files.has(top + file));
    if (kind === null) continue;
    const below = [...files].filter(([file]) => file.startsWith(top));
    return { path, kind, files: new Map(below.map(([file, content]) => [file.slice(top.length), content])), named };
  }
  return null;
}

/** Unpacks an archive in memory. Throws OperationError if it is damaged or too large. */
export function unzip(name: string, bytes: Uint8Array): Map<string, Buffer> {
  let [size, count] = [0, 0];
  try {
    const files = unzipSync(bytes, {
      filter({ name: path, originalSize }) {
        [size, count] = [size + originalSize, count + 1];
        if (size > mostBytes || count > mostFiles) throw tooLarge(name);
        return !path.endsWith('/');
      },
    });
    return new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));
  } catch (error) {
    if (error instanceof OperationError) throw error;
    throw new OperationError(`${name} is not a zip archive that can be read.`, { cause: error });
  }
}

function filesIn(folder: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  let size = 0;
  const read = (below: string) => {
    for (const entry of listed(join(folder, below))) {
      const path = below + entry.name;
      // The system or an assistant leaves these, and no assistant reads them as instructions.
      if (entry.name === '.DS_Store' || entry.name === '.git') continue;
      if (entry.isDirectory()) read(`${path}/`);
      else {
        const bytes = boundedFile(join(folder, path));
        files.set(path, bytes);
        size += bytes.length;
      }
      if (files.size > mostFiles || size > mostBytes) throw tooLarge(folder);
    }
  };
  read('');
  return files;
}

function listed(folder: string): Dirent[] {
  return attempt(folder, () =>
    readdirSync(folder, { withFileTypes: true }).sort((a, b) => compareText(a.name, b.name)),
  );
}

function boundedFile(path: string): Buffer {
  return attempt(path, () => {
    const stats = statSync(path);
    if (!stats.isFile()) throw new OperationError(`${path} is neither a file nor a folder.`);
    if (stats.size > mostBytes) throw tooLarge(path);
    return readFileSync(path);
  });
}

function attempt<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof OperationError) throw error;
    throw new OperationError(`${path} cannot be read: ${systemReason((error as NodeJS.ErrnoException).code ?? '')}.`);
  }
}

function tooLarge(path: string): OperationError {
  return new OperationError(
    `${path} is too large to be a copy: it has more than ${mostBytes} bytes or ${mostFiles} files.`,
  );
}

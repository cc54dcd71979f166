import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { unzipSync } from 'fflate/browser';
import { explaining, OperationError } from '../lib/errors.ts';
import { compareText } from '../lib/text.ts';

/** A text or a folder that may be a copy of an agent. */
export interface Copy {
  /** As the user named it, or found below that. */
  path: string;
  kind: 'prompt' | 'skill' | 'plugin';
  /** Its files by path. A copy of one file has only that: `prompt.txt` or `SKILL.md`. */
  files: ReadonlyMap<string, Buffer>;
  /** Whether the user named it. Others were found in a folder, and may be anything. */
  named: boolean;
  /** The copies in a folder. Its texts belong to it if it is a copy of an agent (`isKnown`), and are copies if not. */
  nested?: (isKnown: boolean) => Iterable<Copy | Unreadable>;
}

/** The most bytes of one file or archive, and of all files of a skill or plugin together. */
const mostBytes = 8 * 1024 * 1024;
/** The most files of an archive, skill or plugin. */
const mostFiles = 200;
/** The most files and folders that are looked at. */
const mostEntries = 50_000;

const manifests = ['plugin.json', '.claude-plugin/plugin.json'];

/** Files that systems, editors of archives and assistants leave next to a copy. No assistant reads these as instructions. */
const leftovers =
  /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini|\.git|__MACOSX|\.orphaned_at|\.gemini-extension-install\.json)(?:\/|$)/;

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
    return yield* folderCopies(path, { seen: new Set(), named: true, foldersOnly: false });
  }
  const copies = fileCopies(path, true);
  if (copies.length > 0) yield* copies;
  else throw new OperationError(`${path} is neither a text nor a zip archive of a skill or plugin.`);
}

interface Search {
  seen: Set<string>;
  named: boolean;
  /** Whether texts and archives are left out, because they belong to a copy. */
  foldersOnly: boolean;
}

function* folderCopies(path: string, search: Search): Generator<Copy | Unreadable> {
  const kind = kindOf((file) => statSync(join(path, file), { throwIfNoEntry: false })?.isFile() === true);
  const below = (isKnown: boolean) => copiesBelow(path, { ...search, named: false, foldersOnly: isKnown });
  if (kind === null) yield* below(search.foldersOnly);
  else {
    try {
      const nested = (isKnown: boolean) => (isKnown && kind === 'plugin' ? [] : below(isKnown));
      yield { path, kind, files: filesIn(path), named: search.named, nested };
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      yield { path, problem: error.message };
      yield* below(false);
    }
  }
}

function* copiesBelow(path: string, search: Search): Generator<Copy | Unreadable> {
  for (const { name } of listed(path)) {
    const child = join(path, name);
    const stats = statSync(child, { throwIfNoEntry: false });
    const isText = stats?.isFile() === true && /\.(?:txt|md|zip)$/i.test(name);
    // SKILL.md belongs to the folder, which is a copy itself.
    if (stats === undefined || (isText && (search.foldersOnly || name === 'SKILL.md'))) continue;
    if (!(isText || stats.isDirectory()) || name === '.git' || name === 'node_modules') continue;
    const real = realpathSync(child);
    if (search.seen.has(real)) continue;
    search.seen.add(real);
    if (search.seen.size > mostEntries)
      throw new TooMany(`There are more than ${mostEntries} files and folders up to ${path}. Name a smaller folder.`);
    try {
      yield* isText ? fileCopies(child, false) : folderCopies(child, search);
    } catch (error) {
      if (error instanceof TooMany || !(error instanceof OperationError)) throw error;
      yield { path: child, problem: error.message };
    }
  }
}

class TooMany extends OperationError {}

/** The kind of a folder, by the files that it has; null if it is neither a skill nor a plugin. */
function kindOf(has: (file: string) => boolean): 'skill' | 'plugin' | null {
  if (manifests.some(has)) return 'plugin';
  return has('SKILL.md') ? 'skill' : null;
}

function fileCopies(path: string, named: boolean): (Copy | Unreadable)[] {
  const bytes = boundedFile(path);
  if (bytes.toString('latin1', 0, 4) === 'PK\u0003\u0004') return archiveCopies(path, bytes, named);
  if (!isUtf8(bytes) || bytes.includes(0)) return [];
  const isSkill =
    basename(path) === 'SKILL.md' || /^\uFEFF?---\r?\n[\s\S]*?\n## Prompt\r?\n/.test(bytes.toString('utf8'));
  if (isSkill) return [{ path, kind: 'skill', files: new Map([['SKILL.md', bytes]]), named }];
  return [{ path, kind: 'prompt', files: new Map([['prompt.txt', bytes]]), named }];
}

/** The skill or plugin that an archive is, or those that are folders at its top. Its other files are not compared. */
function archiveCopies(path: string, bytes: Buffer, named: boolean): (Copy | Unreadable)[] {
  const files = new Map([...unzip(path, bytes)].filter(([file]) => !leftovers.test(file)));
  const tops = [...new Set([...files.keys()].map((file) => /^[^/]+\//.exec(file)?.[0] ?? ''))].sort(compareText);
  const kindIn = (top: string) => kindOf((file) => files.has(top + file));
  const copies = (kindIn('') === null ? tops : ['']).flatMap((top): Copy[] => {
    const kind = kindIn(top);
    if (kind === null) return [];
    const below = [...files].filter(([file]) => file.startsWith(top));
    for (const [file] of below) files.delete(file);
    return [{ path, kind, files: new Map(below.map(([file, text]) => [file.slice(top.length), text])), named }];
  });
  const [other] = files.keys();
  if (copies.length === 0 || other === undefined) return copies;
  return [...copies, { path, problem: `${path} also contains ${other}, which is not part of a skill or plugin.` }];
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
      if (leftovers.test(entry.name)) continue;
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
  return explaining(`${folder} cannot be read`, () =>
    readdirSync(folder, { withFileTypes: true }).sort((a, b) => compareText(a.name, b.name)),
  );
}

function boundedFile(path: string): Buffer {
  return explaining(`${path} cannot be read`, () => {
    const stats = statSync(path);
    if (!stats.isFile()) throw new OperationError(`${path} is neither a file nor a folder.`);
    if (stats.size > mostBytes) throw tooLarge(path);
    return readFileSync(path);
  });
}

function tooLarge(path: string): OperationError {
  return new OperationError(
    `${path} is too large to be a copy: it has more than ${mostBytes} bytes or ${mostFiles} files.`,
  );
}

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** Renames a folder, unless another process has made the same one in the meantime. */
export function keep(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Returns a folder with what `make` writes into an empty one, the same for all processes of a run: do not change it. `key`
 * says what is made. While another process makes it, this one waits, which costs no processor time.
 */
export function sharedFolder(key: string, make: (folder: string) => void): string {
  const name = createHash('sha256').update(key).digest('hex').slice(0, 32);
  const folder = join(process.env.TEST_FOLDER ?? ownFolder(), `shared-${name}`);
  while (!existsSync(folder)) {
    if (!begin(`${folder}-maker`)) continue;
    try {
      if (existsSync(folder)) continue;
      const draft = mkdtempSync(`${folder}-`);
      make(draft);
      keep(draft, folder);
    } finally {
      rmSync(`${folder}-maker`, { force: true });
    }
  }
  return folder;
}

/** Writes a file with the id of this process. Returns false, after a moment, if one that is running did so earlier. */
function begin(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  try {
    process.kill(Number(readFileSync(path, 'utf8')), 0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  } catch {
    // It ended before it was done, or is done by now.
    rmSync(path, { force: true });
  }
  return false;
}

let own: string | undefined;

/** The folder of a process that no run of all tests started. */
function ownFolder(): string {
  own ??= mkdtempSync(join(tmpdir(), 'catalog-own-'));
  return own;
}

/** A file, or a folder if it has no bytes, with its permissions. */
interface Entry {
  path: string;
  bytes: Buffer | null;
  mode: number;
}

const made = new Map<string, { folder: string; entries: Entry[] }>();

/**
 * Fills an empty folder with what `make` writes into it. The first time, it calls `make`; after that, it writes the same
 * files again, which is much faster than git with a process for each step. Repositories that name the folder in their
 * configuration get the new one. `key` says what is made.
 */
export function makeOnce(folder: string, key: string, make: () => void): void {
  const kept = made.get(key);
  if (kept === undefined) {
    make();
    made.set(key, { folder, entries: entriesOf(folder) });
    return;
  }
  for (const { path, bytes, mode } of kept.entries) {
    const target = join(folder, path);
    mkdirSync(bytes === null ? target : dirname(target), { recursive: true });
    if (bytes === null) continue;
    const named = path.endsWith('config') ? bytes.toString('utf8').replaceAll(kept.folder, folder) : bytes;
    writeFileSync(target, named, { mode });
  }
}

/** Everything in a folder, without the samples of hooks. */
function entriesOf(folder: string): Entry[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(({ name }) => !name.endsWith('.sample'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const bytes = entry.isDirectory() ? null : readFileSync(path);
      return { path: relative(folder, path), bytes, mode: statSync(path).mode & 0o777 };
    });
}

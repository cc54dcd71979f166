import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import * as z from 'zod';
import { parseBoundedJson } from '../../lib/bounded.ts';
import { OperationError, orElse, prevented, systemReason } from '../../lib/errors.ts';
import { isDraftName, makeFolder, replaceFiles } from '../../lib/files.ts';
import { gitOrNull, mergeTexts } from '../../lib/git.ts';
import { maskSecrets } from '../../lib/secrets.ts';
import { isLater, programVersion } from '../../program.ts';
import { diffOf } from '../fix-and-rename.ts';
import { packaged, stampFile, stampOf, upgradedFiles } from './catalog.ts';

const stamp = z.object({ version: z.string(), files: z.record(z.string(), z.string()) });

interface UpgradeOptions {
  writes: boolean;
  /** Whether files that both sides changed count as reviewed. */
  keeps: boolean;
  /** Replaces former names of commands and flags in a file. */
  withCurrentNames: (path: string, text: string) => string;
}

/**
 * Compares each file that `catalog init` copied with the file of this version, and with the one of the version that copied
 * it, which is in the stamp. Unless `writes` is false, writes what it returns, so that no change of the editor is lost. A
 * file that the editor removed stays removed. The stamp is written last, so that an interrupted upgrade is completed by the
 * next one.
 *
 * Throws OperationError if a newer program stamped the catalog, if a file with changes of the editor is not committed, and if a
 * file cannot be read or written.
 */
export function upgrade(folder: string, baseUrl: string, options: UpgradeOptions) {
  const present = read(folder, stampFile);
  // Version 0.1.0 stamped nothing.
  const last = parsed(present ?? packaged('starter/files-0.1.0.json'));
  if (isLater(last.version)) {
    throw new OperationError(
      `This catalog was upgraded to version ${last.version}, and this program is ${programVersion}. Install that version, or a later one.`,
    );
  }
  const result = {
    from: last.version,
    to: programVersion,
    /** Files that the editor did not change, and new ones. */
    replaced: [] as string[],
    /** Files in which the changes of the editor and the changes of the program are joined. */
    merged: [] as string[],
    /** Files in which only former names of commands and flags are replaced. */
    renamed: [] as string[],
    /** Files in which both sides changed the same lines, which stay as the editor wrote them; `diff` has all versions of them. */
    changed: [] as { path: string; diff: string }[],
  };
  const files = upgradedFiles(baseUrl);
  const writes = new Map<string, string>();
  for (const [path, text] of files) {
    const own = read(folder, path);
    const original = last.files[path];
    if (own === text || original === text) continue;
    if (own === null ? original === undefined : own === original) {
      result.replaced.push(path);
      writes.set(path, text);
    } else if (own !== null) {
      const merge = original === undefined ? null : merged(own, { original, text });
      // An interrupted upgrade may have joined the changes before.
      if (merge?.text === own) continue;
      const joined = merge === null ? own : merge.text.replace(conflict, '$1');
      if (joined !== own) {
        result.merged.push(path);
        writes.set(path, joined);
      }
      if (merge === null) result.changed.push({ path, diff: diffOf(path, own, text) });
      else if (merge.conflicts) result.changed.push({ path, diff: conflictsIn(merge.text) });
    }
  }
  for (const path of ['package.json', 'README.md', ...workflowsIn(folder)]) {
    const text = writes.get(path) ?? read(folder, path) ?? '';
    const current = options.withCurrentNames(path, text);
    if (current === text) continue;
    if (!writes.has(path)) result.renamed.push(path);
    writes.set(path, current);
  }
  // Until they are reviewed, the next upgrade shows them again.
  for (const { path } of options.keeps ? [] : result.changed) {
    const original = last.files[path];
    if (original === undefined) files.delete(path);
    else files.set(path, original);
  }
  const next = stampOf(files);
  if (next !== present) writes.set(stampFile, next);
  if (options.writes) {
    refuseUncommitted(folder, [...result.merged, ...result.renamed]);
    write(folder, writes);
  }
  return result;
}

function merged(own: string, { original, text }: { original: string; text: string }) {
  // The stamp keeps the original of earlier conflicts, so its version is not always the one that the stamp names.
  const labels = { yours: 'yours', original: 'original', theirs: `version ${programVersion}` };
  return mergeTexts({ yours: own, original, theirs: text }, labels);
}

/** Matches lines that both sides changed, in all three versions, the editor's lines first. */
const conflict = /^<{7} .*\n([\s\S]*?)^\|{7} [\s\S]*?^>{7} .*\n?/gm;

function conflictsIn(text: string): string {
  return maskSecrets((text.match(conflict) ?? []).join(''));
}

function workflowsIn(folder: string): string[] {
  const names = orElse(() => readdirSync(join(folder, '.github/workflows')), []);
  const workflows = names.filter((name) => /\.ya?ml$/.test(name)).sort();
  return workflows.map((name) => `.github/workflows/${name}`);
}

/** Git has what it overwrites. In package.json, only scripts change, and installing a version has just changed it. */
function refuseUncommitted(folder: string, paths: readonly string[]): void {
  const open = paths.filter(
    (path) => path !== 'package.json' && gitOrNull(folder, ['status', '--porcelain', '--ignored', '--', path]) !== '',
  );
  if (open.length === 0) return;
  throw new OperationError(
    `The upgrade would change these files, and they are not committed in Git:\n${open.map((path) => `  ${path}\n`).join('')}Commit them first, so that your version is never lost. Nothing was written.`,
  );
}

function parsed(text: string): z.infer<typeof stamp> {
  try {
    return stamp.parse(parseBoundedJson(text));
  } catch (error) {
    throw new OperationError(
      `${stampFile} is damaged, and nothing was written. Restore it from Git, or delete it: the files then count as files of version 0.1.0, or as changed by you.`,
      { cause: error },
    );
  }
}

function read(folder: string, path: string): string | null {
  try {
    const bytes = readFileSync(join(folder, path));
    if (!isUtf8(bytes)) throw new Error('it is not UTF-8 text');
    // Git may check files out with the line endings of Windows.
    return bytes.toString().replaceAll('\r\n', '\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw prevented(`${path} cannot be read, and nothing was written`, error);
  }
}

function write(folder: string, files: ReadonlyMap<string, string>): void {
  try {
    for (const directory of new Set([...files.keys()].map((path) => dirname(join(folder, path))))) {
      makeFolder(directory);
      // Left by an upgrade that was killed.
      for (const name of readdirSync(directory).filter(isDraftName)) rmSync(join(directory, name));
    }
    replaceFiles([...files].map(([path, text]) => [join(folder, path), Buffer.from(text)]));
  } catch (error) {
    const { code, path, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || path === undefined) throw error;
    throw new OperationError(
      `${relative(folder, path)} cannot be written: ${systemReason(code)}. ${syscall === 'rename' ? 'Run the command again once that is fixed; it does the rest.' : 'Nothing was changed.'}`,
      { cause: error },
    );
  }
}

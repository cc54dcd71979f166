import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { parseBoundedJson } from '../../lib/bounded.ts';
import { OperationError, systemReason } from '../../lib/errors.ts';
import { replaceFile, sha256Of } from '../../lib/files.ts';
import { programVersion } from '../../program.ts';
import { toJson } from '../../schema/documents.ts';
import { diffOf } from '../fix.ts';
import { packaged, stampFile, stampOf, upgradedFiles } from './catalog.ts';

const stamp = z.object({ version: z.string(), files: z.record(z.string(), z.string()) });

/** What an upgrade does to the files that `catalog init` copied. */
interface Upgrade {
  from: string;
  to: string;
  /** Files that the editor did not change, and new ones. The upgrade writes them. */
  replaced: string[];
  /** Files that both the editor and the program changed, with the program's changes to them. They stay as they are. */
  changed: { path: string; diff: string }[];
  /** Whether there is nothing to do, not even in the stamp. */
  isCurrent: boolean;
}

/**
 * Compares each file that `catalog init` copied with the file of this version, and with the one of the version that copied
 * it, whose digest is in the stamp. Only a file with exactly that content is replaced, so nothing of the editor's is lost.
 * A file that the editor removed stays removed.
 *
 * Unless `writes` is false, writes what it returns; the stamp comes last, so an interrupted upgrade is completed by the
 * next one. With `keeps`, files that both sides changed count as reviewed.
 *
 * Throws OperationError if a newer program stamped the catalog, and if a file cannot be read or written.
 */
export function upgrade(
  folder: string,
  baseUrl: string,
  { writes, keeps }: { writes: boolean; keeps: boolean },
): Upgrade {
  const present = read(folder, stampFile);
  // Version 0.1.0 stamped nothing.
  const last = parsed(present ?? packaged('starter/files-0.1.0.json'));
  if (last.version.localeCompare(programVersion, 'en', { numeric: true }) > 0) {
    throw new OperationError(
      `This catalog was upgraded to version ${last.version}, and this program is ${programVersion}. Install that version, or a later one.`,
    );
  }
  const files = upgradedFiles(baseUrl);
  const [replaced, changed]: [string[], Upgrade['changed']] = [[], []];
  for (const [path, text] of files) {
    const own = read(folder, path);
    const earlier = last.files[path];
    if (own === text || earlier === sha256Of(text)) continue;
    if (own === null ? earlier === undefined : sha256Of(own) === earlier) replaced.push(path);
    else if (own !== null) changed.push({ path, diff: diffOf(path, own, text) });
  }
  const digests = stampOf(files);
  // Until they are reviewed, the next upgrade shows them again.
  if (!keeps) for (const { path } of changed) digests.files[path] = last.files[path] ?? '';
  const next = toJson(digests);
  const result = { from: last.version, to: programVersion, replaced, changed, isCurrent: next === present };
  if (!writes || result.isCurrent) return result;
  for (const path of replaced) write(folder, path, files.get(path) ?? '');
  write(folder, stampFile, next);
  return result;
}

function parsed(text: string): z.infer<typeof stamp> {
  try {
    return stamp.parse(parseBoundedJson(text));
  } catch (error) {
    throw new OperationError(
      `${stampFile} is damaged, and nothing was written. Restore it from Git, or delete it: the files then count as those of version 0.1.0, or as changed by you.`,
      { cause: error },
    );
  }
}

function read(folder: string, path: string): string | null {
  try {
    // Git may check files out with the line endings of Windows.
    return readFileSync(join(folder, path), 'utf8').replaceAll('\r\n', '\n');
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new OperationError(`${path} cannot be read, and nothing was written: ${systemReason(code)}.`, {
      cause: error,
    });
  }
}

function write(folder: string, path: string, text: string): void {
  try {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    replaceFile(join(folder, path), text);
  } catch (error) {
    const reason = systemReason((error as NodeJS.ErrnoException).code ?? String(error));
    throw new OperationError(
      `${path} cannot be written: ${reason}. Run the command again once that is fixed; it does the rest.`,
      { cause: error },
    );
  }
}

import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperationError, prevented, succeeds, systemReason } from '../../lib/errors.ts';
import { replaceFile } from '../../lib/files.ts';
import { frontMatterSchema } from '../../schema/agent.ts';
import { ContentError, identityOf } from '../../schema/diagnostics/content-error.ts';
import type { Diagnostic } from '../../schema/diagnostics/diagnostic.ts';
import type { KnownVocabulary } from '../../schema/settings.ts';
import { checkFolders, parseSafely } from '../load.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { folderOf } from '../read.ts';
import type { Surroundings } from './agent.ts';

/**
 * Writes the files of a new agent to agents/<slug> in the catalog `cwd`: all of them or none. Never overwrites a file.
 *
 * Throws ContentError if `catalog validate` would report a new error with these files, and OperationError if the disk
 * refuses. Nothing is written then.
 */
export function writeAgent(cwd: string, ...[slug, files, surroundings]: Parameters<typeof checkFiles>): void {
  const { errors } = checkFiles(slug, files, surroundings);
  if (errors.length > 0) throw new ContentError(errors);
  writeFolder(cwd, slug, files);
}

/**
 * Writes the files of a new agent, all or none, without checking them. Throws OperationError if the folder exists or the disk
 * refuses.
 */
export function writeFolder(cwd: string, slug: string, files: ReadonlyMap<string, string>): void {
  const agents = join(cwd, 'agents');
  const staging = join(agents, `.${slug}.new-${randomUUID()}`);
  try {
    makeFolder(staging, []);
    for (const [name, text] of files) writeFileSync(join(staging, name), Buffer.from(text), { flag: 'wx' });
    renameSync(staging, join(agents, slug));
  } catch (error) {
    throw refusal(error, cwd, slug);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Whether this is the name of a folder that a killed `writeFolder` may have left. */
export function isStagedName(name: string): boolean {
  return /^\..+\.new-[\da-f-]{36}$/.test(name);
}

/** Returns the errors that a catalog with these folders would have only with this agent, and the agent's folder as it is parsed. */
export function checkFiles(
  slug: string,
  files: ReadonlyMap<string, string>,
  { vocabulary, calendar: { folders }, today }: Surroundings & { vocabulary: KnownVocabulary },
): { errors: Diagnostic[]; folder: ParsedFolder } {
  const folder = parseSafely(folderOf(slug, files), frontMatterSchema(vocabulary), vocabulary.rules);
  const before = new Set(checkFolders(folders, vocabulary, today).diagnostics.map(identityOf));
  const { diagnostics } = checkFolders([...folders, folder], vocabulary, today);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return { errors: errors.filter((diagnostic) => !before.has(identityOf(diagnostic))), folder };
}

function refusal(error: unknown, cwd: string, slug: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  if (['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(code)) {
    return new OperationError(`agents/${slug} already exists; choose another slug.`, { cause: error });
  }
  return prevented(`${join(cwd, 'agents', slug)} cannot be written`, error);
}

type Kind = 'nothing' | 'folder' | 'other';

/**
 * Throws OperationError if existing files are in the way of a new catalog in `folder`, and names all of them. `paths`
 * are relative to `folder`, with slashes. package.json may exist, as a file.
 */
export function refuseObstacles(folder: string, paths: readonly string[]): void {
  refuseFileAsFolder(folder);
  const obstacles = [...new Set(paths.flatMap((path) => obstacle(folder, path) ?? []))];
  if (kindOf(join(folder, 'package.json')) === 'folder') obstacles.push('package.json (has to be a file)');
  if (obstacles.length === 0) return;
  throw new OperationError(
    `Nothing was written, because ${obstacles.length === 1 ? 'this already exists' : 'these already exist'} in ${folder}:\n` +
      `${obstacles.map((name) => `  ${name}\n`).join('')}` +
      `Move ${obstacles.length === 1 ? 'it' : 'them'} away, or start the catalog in another folder.`,
  );
}

/**
 * Writes the files of a new catalog to `folder`, which is created if it does not exist, and never overwrites a file.
 * Then replaces `replaced`, the one existing file that changes, by a rename. It writes everything or nothing.
 *
 * Throws OperationError if a file cannot be written. Written files are then removed; the message names those that cannot be
 * removed.
 */
export function writeCatalog(
  folder: string,
  files: ReadonlyMap<string, string | Uint8Array>,
  replaced: { path: string; text: string } | null,
): void {
  const madeFiles: string[] = [];
  const madeFolders: string[] = [];
  let now = folder;
  try {
    makeFolder(folder, madeFolders);
    for (const [name, text] of files) {
      now = join(folder, name);
      makeFolder(dirname(now), madeFolders);
      writeFileSync(now, text, { flag: 'wx' });
      madeFiles.push(now);
    }
    if (replaced !== null) {
      now = replaced.path;
      replaceFile(now, replaced.text);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code !== 'EEXIST') madeFiles.push(now);
    const own = madeFiles.filter((path) => path !== replaced?.path);
    const left = removeAgain(own, madeFolders);
    const rest = left.length === 0 ? 'Nothing was left behind.' : `Delete what was left behind: ${left.join(', ')}.`;
    throw new OperationError(`${now} cannot be written: ${systemReason(code)}. ${rest}`, { cause: error });
  }
}

/**
 * Returns the first part of a path, or the path itself, that would have to be overwritten; null if the path is free.
 */
function obstacle(folder: string, path: string): string | null {
  const steps = path.split('/').map((_, index, names) => names.slice(0, index + 1).join('/'));
  for (const step of steps) {
    const kind = kindOf(join(folder, step));
    if (kind === 'nothing') return null;
    if (step === path) return path;
    if (kind === 'other') return `${step} (has to be a folder)`;
  }
  return null;
}

/** Throws OperationError if `folder` or one of its parents is a file. */
function refuseFileAsFolder(folder: string): void {
  let path = folder;
  while (kindOf(path) === 'nothing' && dirname(path) !== path) path = dirname(path);
  if (kindOf(path) === 'other') throw new OperationError(`${path} is not a folder; name another one for the catalog.`);
}

/** Returns what exists at a path. A link to a folder is a folder; a broken link is `other`. */
function kindOf(path: string): Kind {
  try {
    if (!lstatSync(path).isSymbolicLink()) return lstatSync(path).isDirectory() ? 'folder' : 'other';
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? 'folder' : 'other';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'nothing';
    throw prevented(`${path} cannot be read`, error);
  }
}

/** Creates a folder and its missing parents, and adds each new folder to `made`. */
function makeFolder(path: string, made: string[]): void {
  if (kindOf(path) === 'folder') return;
  makeFolder(dirname(path), made);
  mkdirSync(path);
  made.push(path);
}

/** Removes the created files and folders, newest first, and returns those that cannot be removed. */
function removeAgain(files: readonly string[], folders: readonly string[]): string[] {
  return [
    ...files.filter((path) => !succeeds(() => rmSync(path, { force: true }))),
    ...[...folders].reverse().filter((path) => !succeeds(() => rmdirSync(path))),
  ];
}

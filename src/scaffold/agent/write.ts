import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkContent } from '../../catalog/load.ts';
import type { ParsedFolder } from '../../catalog/parse/parse.ts';
import { readAgents, type SourceFolder } from '../../catalog/read.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { ContentError, OperationError, systemReason } from '../../errors.ts';
import type { Vocabulary } from '../../schema/settings.ts';

/**
 * Writes the files of a new agent to agents/<slug> in the catalog `cwd`: all of them or none. Never overwrites a file.
 *
 * Throws ContentError if `catalog validate` would report a new error with these files, and OperationError if the disk
 * refuses. Nothing is written then.
 */
export function writeAgent(
  cwd: string,
  slug: string,
  files: ReadonlyMap<string, string>,
  { vocabulary, today }: { vocabulary: Vocabulary; today: string },
): void {
  const { errors } = checkFiles(cwd, slug, files, { vocabulary, today });
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
    mkdirSync(staging, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(staging, name), Buffer.from(text), { flag: 'wx' });
    renameSync(staging, join(agents, slug));
  } catch (error) {
    throw refusal(error, cwd, slug);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Returns the errors that the catalog would have only with this agent, and the agent's folder as it is parsed. */
export function checkFiles(
  cwd: string,
  slug: string,
  files: ReadonlyMap<string, string>,
  { vocabulary, today }: { vocabulary: Vocabulary; today: string },
): { errors: Diagnostic[]; folder: ParsedFolder | undefined } {
  const made: SourceFolder = {
    slug,
    files: [...files].map(([name, text]) => ({ name, bytes: Buffer.from(text), problem: null })),
    problem: null,
  };
  const key = ({ code, file, line, column, message }: Diagnostic) =>
    JSON.stringify([code, file, line, column, message]);
  const others = readAgents(cwd);
  const before = new Set(checkContent(others, vocabulary, today).diagnostics.map(key));
  const { folders, diagnostics } = checkContent([...others, made], vocabulary, today);
  return {
    errors: diagnostics.filter((diagnostic) => diagnostic.severity === 'error' && !before.has(key(diagnostic))),
    folder: folders.find((folder) => folder.slug === slug),
  };
}

function refusal(error: unknown, cwd: string, slug: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  if (['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(code)) {
    return new OperationError(`agents/${slug} already exists; choose another slug.`, { cause: error });
  }
  return new OperationError(`${join(cwd, 'agents', slug)} cannot be written: ${systemReason(code)}.`, { cause: error });
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from '../catalog/parse/files.ts';
import { replaceFile } from '../catalog/replace-file.ts';
import { explainSystemError, OperationError } from '../errors.ts';
import { withIssueLine } from './issue-line.ts';
import type { Release } from './plan.ts';

/** The changed files, by their paths from the catalog folder, and how to undo the changes. */
export interface NumbersWritten {
  files: string[];
  /** Restores the bytes of every file. */
  undo(): void;
}

/**
 * Writes the `issue` lines of agents into their agent.md below `cwd`: all of them, or none.
 *
 * Throws OperationError if a file cannot take the line; then nothing has changed.
 */
export function writeNumbers(cwd: string, releases: readonly Release[]): NumbersWritten {
  const changes = releases.map(({ slug, issue }) => {
    const file = pathOf(slug, 'agent.md');
    const before = readFileSync(join(cwd, file));
    const after = withIssueLine(before, issue);
    if (after === null) {
      throw new OperationError(
        `Cannot add \`issue: ${issue}\` to ${file}: write its front matter with one \`key: value\` per line and without \`issue\`.`,
      );
    }
    return { file, before, after };
  });
  const done: typeof changes = [];
  const undo = () => {
    for (const { file, before } of done) replaceFile(join(cwd, file), before);
  };
  try {
    for (const change of changes) {
      replaceFile(join(cwd, change.file), change.after);
      done.push(change);
    }
  } catch (error) {
    undo();
    throw new OperationError(
      `Cannot write the numbers. ${explainSystemError(error) ?? (error as Error).message} Nothing has changed.`,
    );
  }
  return { files: changes.map(({ file }) => file), undo };
}

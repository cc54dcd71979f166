import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from '../catalog/parse/files.ts';
import { replaceFile } from '../catalog/replace-file.ts';
import { explainSystemError, OperationError } from '../errors.ts';
import { withIssueLine } from './issue-line.ts';
import type { Release } from './plan.ts';

/** Files that were changed, by their paths from the catalog's folder, and the way back. */
export interface NumbersWritten {
  files: string[];
  /** Gives every file the bytes that it had. */
  undo(): void;
}

/**
 * Writes the `issue` lines of agents into their agent.md below `cwd`: all of them, or none.
 *
 * Throws OperationError where a file does not take the line; nothing is changed then.
 */
export function writeNumbers(cwd: string, releases: readonly Release[]): NumbersWritten {
  const changes = releases.map(({ slug, issue }) => {
    const file = pathOf(slug, 'agent.md');
    const before = readFileSync(join(cwd, file));
    const after = withIssueLine(before, issue);
    if (after === null) {
      throw new OperationError(
        `The line \`issue: ${issue}\` cannot be put into ${file}: write its front matter as one \`key: value\` a line, with no \`issue\` of its own.`,
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
      `The numbers cannot be written. ${explainSystemError(error) ?? (error as Error).message} Nothing has changed.`,
    );
  }
  return { files: changes.map(({ file }) => file), undo };
}

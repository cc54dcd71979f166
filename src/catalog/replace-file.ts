import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Replaces the content of a file atomically and keeps its mode, or creates the file. Throws the system error. */
export function replaceFile(path: string, bytes: Buffer | string): void {
  // The draft is hidden, so that it never counts as a file of the agent.
  const draft = join(dirname(path), `.${basename(path)}.draft-${process.pid}`);
  try {
    writeFileSync(draft, bytes, { mode: statSync(path, { throwIfNoEntry: false })?.mode });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Whether this is the name of a draft that `replaceFile` writes. */
export function isDraftName(name: string): boolean {
  return /^\..+\.draft-\d+$/.test(name);
}

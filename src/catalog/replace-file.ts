import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Gives a file new bytes in one step, so that it is whole at any moment. Its mode stays. Throws the system's error. */
export function replaceFile(path: string, bytes: Buffer | string): void {
  // Hidden, so that no agent has a file too many while it is there.
  const draft = join(dirname(path), `.${basename(path)}.draft-${process.pid}`);
  try {
    writeFileSync(draft, bytes, { mode: statSync(path).mode });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Whether a name is that of a draft that waits to replace a file. */
export function isDraftName(name: string): boolean {
  return /^\..+\.draft-\d+$/.test(name);
}

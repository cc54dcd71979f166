import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Runs `use` while reading the file `path` fails with an error that the program does not expect. */
export async function whileReadingFails(path: string, use: () => Promise<void>): Promise<void> {
  const original = fs.readFileSync;
  fs.readFileSync = ((file: string, ...rest: unknown[]) => {
    if (file === path) throw new Error('made by a test');
    return Reflect.apply(original, fs, [file, ...rest]);
  }) as typeof original;
  syncBuiltinESMExports();
  try {
    await use();
  } finally {
    fs.readFileSync = original;
    syncBuiltinESMExports();
  }
}

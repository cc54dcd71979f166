import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programVersion } from '../../src/program.ts';
import { snapshot } from './catalog.ts';
import { catalog } from './process.ts';

/** The day on which the tests run `npx --no daily-agent-catalog new` and `catalog init`. */
export const today = '2026-11-21';

export const makeNew = (folder: string, ...args: string[]) =>
  catalog(['new', ...args, '--cwd', folder, '--today', today]);
/** Runs `catalog init`. Packing the program takes a second, so package.json names a version unless `args` name another. */
export const init = (folder: string, ...args: string[]) =>
  catalog(['init', '--package', `^${programVersion}`, ...args, '--cwd', folder, '--today', today]);

/** Returns the files of all agents. */
export const agents = (folder: string) => snapshot(join(folder, 'agents'));

export const read = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');
export const settings = (folder: string) => JSON.parse(read(folder, 'catalog.config.json'));

/** Returns the errors that `catalog validate` reports. */
export async function errorsOf(folder: string) {
  const { stdout } = await catalog(['validate', '--format', 'json', '--cwd', folder, '--today', today]);
  return JSON.parse(stdout).diagnostics.filter(({ severity }: { severity: string }) => severity === 'error');
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Imported } from '../../src/content/import/import.ts';
import * as placeholders from '../../src/content/parse/placeholders.ts';
import { inFolder, writeCatalog, writeFiles } from './catalog.ts';
import { catalog } from './process.ts';

/** `catalog import` in a catalog, and what it writes. */

/** The day on which it runs. */
export const today = '2026-02-01';
/** What a draft has instead of each section that the imported prompt lacks. */
export const [inputGuidance, rulesGuidance, outputGuidance] = placeholders.prompt(null).match(/^\[.*\]$/gm) ?? [];

/** Runs the command on files in a folder next to a catalog of one agent. */
export async function withImport(
  files: Record<string, string | Uint8Array>,
  use: (
    run: (...args: string[]) => Promise<{ code: number | null; stderr: string; result: Imported }>,
    folder: string,
  ) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    writeCatalog(folder, [{ slug: 'one', date: today }]);
    writeFiles(join(folder, 'in'), files);
    await use(async (path, ...args) => {
      const flags = ['--cwd', folder, '--today', today, '--format', 'json'];
      const { code, stdout, stderr } = await catalog(['import', join(folder, 'in', path ?? ''), ...args, ...flags]);
      return { code, stderr, result: stdout === '' ? (null as never) : JSON.parse(stdout) };
    }, folder);
  });
}

/** The text of a file in the folder of agents. */
export const read = (folder: string, path: string) => readFileSync(join(folder, 'agents', path), 'utf8');

import { ContentError, type Diagnostic } from '../../src/diagnostics.ts';
import { loadSettings } from '../../src/settings.ts';
import { validateCatalog } from '../../src/validate.ts';
import { inFolder } from './catalog.ts';
import { type Mistake, makeMistake } from './mistakes.ts';
import { catalogProcess } from './process.ts';

/** What `catalog validate` reports of a mistake; in a process of its own where something has to be preloaded. */
export async function diagnosticsOf(mistake: Mistake): Promise<readonly Diagnostic[]> {
  const today = '2026-02-01';
  return inFolder(async (folder) => {
    const options = makeMistake(folder, mistake);
    if ('node' in options) {
      const { stdout } = await catalogProcess(['validate', '--json', '--cwd', folder, '--today', today], options);
      return JSON.parse(stdout.replaceAll(folder, '.')).diagnostics;
    }
    return (await found(folder, today)).map((diagnostic) => ({
      ...diagnostic,
      message: diagnostic.message.replaceAll(folder, '.'),
    }));
  });
}

async function found(folder: string, today: string): Promise<readonly Diagnostic[]> {
  try {
    return (await validateCatalog(folder, loadSettings(folder, {}, {}), today)).diagnostics;
  } catch (error) {
    if (error instanceof ContentError) return error.diagnostics;
    throw error;
  }
}

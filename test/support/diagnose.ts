import { checkCatalog } from '../../src/build/validate.ts';
import type { Diagnostic } from '../../src/schema/diagnostics/diagnostic.ts';
import { breakRenderer } from './break-renderer.ts';
import { inFolder } from './catalog.ts';
import { type Mistake, makeMistake } from './mistakes/index.ts';
import { catalogProcess } from './process.ts';

/** Returns the report of `catalog validate` about a mistake. Uses another process if a module must be preloaded. */
export async function diagnosticsOf(mistake: Mistake): Promise<readonly Diagnostic[]> {
  const today = '2026-02-01';
  return inFolder(async (folder) => {
    const options = makeMistake(folder, mistake);
    if ('node' in options) {
      const { stdout } = await catalogProcess(
        ['validate', '--format', 'json', '--cwd', folder, '--today', today],
        options,
      );
      return JSON.parse(stdout.replaceAll(folder, '.')).diagnostics;
    }
    const restore = mistake.breakOn === undefined ? () => {} : breakRenderer(mistake.breakOn);
    const { diagnostics } = await checkCatalog(folder, { today }, {}).finally(restore);
    return diagnostics.map((diagnostic) => ({
      ...diagnostic,
      message: diagnostic.message.replaceAll(folder, '.'),
    }));
  });
}

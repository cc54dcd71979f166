import { checkCatalog } from '../../src/build/validate.ts';
import type { Diagnostic } from '../../src/schema/diagnostics/diagnostic.ts';
import { breakRenderer } from './break-renderer.ts';
import { inFolder } from './catalog.ts';
import { type Mistake, makeMistake } from './mistakes/index.ts';
import { whileUnreadable } from './refusing-disk.ts';

/** Returns the report of `catalog validate` about a mistake. */
export async function diagnosticsOf(mistake: Mistake): Promise<readonly Diagnostic[]> {
  return inFolder(async (folder) => {
    makeMistake(folder, mistake);
    const { unreadable, breakOn } = mistake;
    const restore = breakOn === undefined ? () => {} : breakRenderer(breakOn);
    const check = () => checkCatalog(folder, { today: '2026-02-01' }, {}).finally(restore);
    const { diagnostics } = await (unreadable === undefined ? check() : whileUnreadable(unreadable, check));
    return diagnostics.map((diagnostic) => ({
      ...diagnostic,
      message: diagnostic.message.replaceAll(folder, '.'),
    }));
  });
}

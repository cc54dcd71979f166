import { renderCatalog } from '../../src/build/build.ts';
import type { Selection } from '../../src/content/schedule.ts';
import { loadSettings } from '../../src/content/settings.ts';

/** The files of a build of the catalog in `cwd` as text by their path, rendered in this process without social images. */
export function render(cwd: string, selection: Selection): Map<string, string> {
  const settings = loadSettings(cwd, {}, {});
  const { rendered } = renderCatalog({ cwd, settings, images: false, ...selection });
  return new Map([...rendered.files].map(([path, bytes]) => [path, bytes.toString('utf8')]));
}

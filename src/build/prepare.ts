import { resolve } from 'node:path';
import type { Selected } from '../catalog/select.ts';
import type { History } from '../git/history.ts';
import { withVersions } from '../outputs/hosting/assets.ts';
import { describeOutputs } from '../outputs/index.ts';
import { templateHelpers } from '../outputs/shared/page.ts';
import { compileTemplates } from '../outputs/shared/templates.ts';
import { addresses } from '../outputs/shared/urls.ts';
import { makeSite, type Site } from '../outputs/site.ts';
import type { Settings } from '../schema/settings.ts';
import { emptyImages, imageRenderer } from '../social-image/renderer.ts';
import { readTemplates } from './read-templates.ts';

export interface SiteOptions {
  preview: boolean;
  history: History['changes'];
  cache: string | null;
  /** Whether to draw social images; if not, their files are empty. */
  images: boolean;
}

/**
 * Makes the site of the selected agents, with the templates of the catalog in `cwd`. The folder `cache` keeps social
 * images between builds.
 *
 * Throws ContentError if a template is malformed.
 */
export function prepareSite(
  cwd: string,
  settings: Settings,
  { agents, moved }: Pick<Selected, 'agents' | 'moved'>,
  { preview, history, cache, images }: SiteOptions,
): Site {
  const { templates, assets: files, fonts } = readTemplates(cwd);
  const assets = withVersions(files);
  return makeSite({
    settings,
    agents,
    moved,
    history,
    templates: compileTemplates(templates, templateHelpers(settings, addresses(settings), assets)),
    assets,
    images: images ? imageRenderer(fonts, cache === null ? null : resolve(cwd, cache)) : emptyImages(fonts),
    outputs: describeOutputs(),
    preview,
  });
}

import type { Selected } from '../catalog/select.ts';
import { withVersions } from '../outputs/hosting/host-files.ts';
import { describeOutputs } from '../outputs/index.ts';
import { templateHelpers } from '../outputs/shared/page.ts';
import { compileTemplates } from '../outputs/shared/templates.ts';
import { addresses } from '../outputs/shared/urls.ts';
import { makeSite, type Site } from '../outputs/site.ts';
import type { Change } from '../schema/agent.ts';
import { noPlugins, type PublishedPlugins } from '../schema/plugins.ts';
import type { Settings } from '../schema/settings.ts';
import { emptyImages, imageRenderer } from '../social-image/renderer.ts';
import type { BuildMemory } from './last-build.ts';
import type { TemplateFiles } from './read-templates.ts';

export interface SiteOptions {
  preview: boolean;
  history: ReadonlyMap<string, readonly Change[]>;
  /** The plugins that were published before; default: none. */
  published?: PublishedPlugins;
  cache: string | null;
  /** Whether to draw social images; if not, their files are empty. */
  images: boolean;
  /** What the last build knew, if anything. */
  memory?: BuildMemory | null;
}

/**
 * Makes the site of the selected agents, with the templates of their catalog. The folder `cache` keeps social images
 * between builds.
 *
 * Throws ContentError when a template is not well-formed.
 */
export function prepareSite(
  { templates, assets: files, fonts, custom }: TemplateFiles,
  settings: Settings,
  { agents, moved, withdrawn }: Pick<Selected, 'agents' | 'moved' | 'withdrawn'>,
  { preview, history, published = noPlugins, cache, images, memory = null }: SiteOptions,
): Site {
  const assets = withVersions(files);
  return makeSite({
    settings,
    agents,
    moved,
    withdrawn,
    history,
    published,
    templates: compileTemplates(
      templates,
      templateHelpers(settings, addresses(settings), assets),
      memory?.isKnown === true,
    ),
    assets,
    images: images ? imageRenderer(fonts, cache) : emptyImages(fonts),
    outputs: describeOutputs(),
    preview,
    listsShowAll: custom,
    related: memory?.related ?? null,
    knownVersions: memory?.versions ?? [],
  });
}

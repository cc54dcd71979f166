import type { Selected } from '../catalog/select.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Settings } from '../schema/settings.ts';
import { prepareSite } from './prepare.ts';
import { readTemplates } from './read-templates.ts';
import { faultsOf } from './render.ts';

/**
 * Renders the agents in `slugs` (default: all) without images and without writing files. Returns a diagnostic for each
 * agent that cannot be rendered, which only rendering can show.
 *
 * Throws ContentError if a template is malformed.
 */
export function trialFaults(
  cwd: string,
  settings: Settings,
  selected: Pick<Selected, 'agents' | 'moved' | 'withdrawn'>,
  slugs?: ReadonlySet<string>,
): Diagnostic[] {
  if (slugs?.size === 0) return [];
  const options = { preview: true, history: new Map(), cache: null, images: false };
  return faultsOf(prepareSite(readTemplates(cwd), settings, selected, options), slugs);
}

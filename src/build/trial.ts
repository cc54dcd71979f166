import type { Selected } from '../catalog/select.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Settings } from '../schema/settings.ts';
import { prepareSite } from './prepare.ts';
import { faultsOf } from './render.ts';

/**
 * What a build would find out about the agents among `slugs` (default: all) only when it renders them: a diagnostic for
 * each that can't be rendered. Nothing is drawn and nothing is written.
 *
 * Throws ContentError for a template that is not well-formed.
 */
export function trialFaults(
  cwd: string,
  settings: Settings,
  selected: Pick<Selected, 'agents' | 'moved'>,
  slugs?: ReadonlySet<string>,
): Diagnostic[] {
  if (slugs?.size === 0) return [];
  const options = { preview: true, history: new Map(), cache: null, images: false };
  return faultsOf(prepareSite(cwd, settings, selected, options), slugs);
}

import { type Diagnostic, diagnose, type Finding } from '../../diagnostics/diagnostic.ts';
import { locationInFrontMatter } from '../../diagnostics/yaml-location.ts';
import { pathOf } from '../parse/files.ts';
import type { ParsedFolder } from '../parse/parse.ts';

/** Makes a diagnostic for the value at `path` in the front matter of an agent. */
export function inFrontMatter(
  folder: ParsedFolder,
  path: string | (string | number)[],
  finding: Omit<Finding, 'file' | 'slug'>,
): Diagnostic {
  const text = folder.texts.get('agent.md');
  const position = text?.startsWith('---\n')
    ? { text, location: locationInFrontMatter(text, typeof path === 'string' ? [path] : path) }
    : {};
  return diagnose({ ...finding, ...position, file: pathOf(folder.slug, 'agent.md'), slug: folder.slug });
}

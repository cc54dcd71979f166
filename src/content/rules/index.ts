import { type Diagnostic, diagnose } from '../../schema/diagnostics/diagnostic.ts';
import { pathOf, unprocessable } from '../parse/files.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { checks, emptyCase, outputShape, sameInput, sample, stale, toothless, unproven, why } from './answers.ts';
import { ground, inputContract, inputs, measurable, rulesCount, sections, stop, untrusted } from './prompt.ts';
import { type EditorialRule, viewAgent } from './rule.ts';
import { demo, excerpt, oneJob, placeholder, portable } from './texts.ts';

/** The rules about the writing of an agent. They never stop a build. */
export const editorialRules: readonly EditorialRule[] = [
  oneJob,
  excerpt,
  sections,
  inputContract,
  inputs,
  rulesCount,
  measurable,
  ground,
  untrusted,
  outputShape,
  emptyCase,
  stop,
  sample,
  checks,
  toothless,
  unproven,
  why,
  sameInput,
  stale,
  demo,
  portable,
  placeholder,
];

/**
 * Applies the rules to a folder. Returns nothing unless its texts and its front matter are complete. `language` is the
 * language of the catalog (BCP 47).
 */
export function editorialFindings({ slug, written, texts }: ParsedFolder, language: string): Diagnostic[] {
  if (written === null) return [];
  try {
    const files = texts();
    const view = viewAgent(written, files, language);
    return editorialRules.flatMap(({ code, check }) =>
      check(view).map(({ file, ...remark }) => {
        const text = files.get(file);
        return diagnose({ ...remark, code, ...(text === undefined ? {} : { text }), slug, file: pathOf(slug, file) });
      }),
    );
  } catch (error) {
    return [unprocessable(slug, 'judge the writing of', error)];
  }
}

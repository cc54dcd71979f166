import type { Agent } from '../../schema/agent.ts';
import { type Diagnostic, diagnose } from '../../schema/diagnostics/diagnostic.ts';
import { pathOf, unprocessable } from '../parse/files.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { checks } from './checks.ts';
import { demo } from './demo.ts';
import { emptyCase } from './empty-case.ts';
import { excerpt } from './excerpt.ts';
import { ground } from './ground.ts';
import { inputContract } from './input-contract.ts';
import { inputs } from './inputs.ts';
import { measurable } from './measurable.ts';
import { oneJob } from './one-job.ts';
import { outputShape } from './output-shape.ts';
import { placeholder } from './placeholder.ts';
import { portable } from './portable.ts';
import { type EditorialRule, viewAgent } from './rule.ts';
import { rulesCount } from './rules-count.ts';
import { sample } from './sample.ts';
import { sections } from './sections.ts';
import { stale } from './stale.ts';
import { stop } from './stop.ts';
import { untrusted } from './untrusted.ts';

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
    return remarksOf(slug, written, texts, language);
  } catch (error) {
    return [unprocessable(slug, 'judge the writing of', error)];
  }
}

function remarksOf(slug: string, agent: Agent, texts: ParsedFolder['texts'], language: string): Diagnostic[] {
  const view = viewAgent(agent, texts, language);
  return editorialRules.flatMap(({ code, check }) =>
    check(view).map(({ file, ...remark }) => {
      const text = texts.get(file);
      return diagnose({ ...remark, code, ...(text === undefined ? {} : { text }), slug, file: pathOf(slug, file) });
    }),
  );
}

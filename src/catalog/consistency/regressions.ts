import { type Diagnostic, diagnose } from '../../diagnostics/diagnostic.ts';
import { answerRegressed } from '../../diagnostics/messages/evals.ts';
import { findRecord, textsAt } from '../../git/record.ts';
import { GitError } from '../../git/run.ts';
import { type Evals, type GradedAnswer, isPassed } from '../../schema/graded.ts';
import { readEvals } from '../parse/evals.ts';
import { pathOf } from '../parse/files.ts';
import type { ParsedFolder } from '../parse/parse.ts';

/**
 * Finds checks that the recorded answer of a model passes on the default branch, and its new answer fails. It compares with
 * the commit at which the checked-out branch left that branch, and asks git only about agents with an answer that fails.
 */
export function regressions(cwd: string, folders: readonly ParsedFolder[]): Diagnostic[] {
  const failing = folders.flatMap(({ slug, written }) => {
    const answers = written?.evals?.answers.filter(({ results }) => !isPassed(results)) ?? [];
    return answers.length === 0 ? [] : [{ slug, answers }];
  });
  const branch = failing.length === 0 ? null : findRecord(cwd);
  if (branch === null || branch.base === null) return [];
  let texts: Map<string, string>;
  try {
    const paths = failing.map(({ slug }) => pathOf(slug, ''));
    texts = textsAt(cwd, branch.base, paths);
  } catch (error) {
    if (error instanceof GitError) return [];
    throw error;
  }
  return failing.flatMap(({ slug, answers }) => {
    const before = evalsIn(texts, slug);
    return before === null ? [] : answers.flatMap((answer) => regressed(slug, answer, before, branch.name));
  });
}

/** The recorded answers of an agent among the files of a commit. */
function evalsIn(texts: ReadonlyMap<string, string>, slug: string): Evals | null {
  const prefix = `${pathOf(slug, '')}/`;
  const own = [...texts].filter(([path]) => path.startsWith(prefix));
  const named = new Map(own.map(([path, text]) => [path.slice(prefix.length), text]));
  return readEvals({ names: [...named.keys()], texts: named, report: () => {}, reportText: () => {} });
}

function regressed(slug: string, answer: GradedAnswer, { answers }: Evals, branch: string): Diagnostic[] {
  const before = answers.find((other) => other.folder === answer.folder && other.case === answer.case);
  if (before === undefined || before.answer === answer.answer) return [];
  return answer.results.flatMap(({ kind, value, failure }) => {
    const passed = before.results.some(
      (other) => other.kind === kind && other.value === value && other.failure === null,
    );
    if (failure === null || !passed) return [];
    return [
      diagnose({
        code: 'editorial/regression',
        slug,
        file: pathOf(slug, `evals/recordings/${answer.folder}/${answer.case}.txt`),
        ...answerRegressed(answer.recorded.model, branch, kind, failure),
      }),
    ];
  });
}

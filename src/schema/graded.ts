import type { CheckKind, EvalCase, Recorded } from './evals.ts';

/** The cases of an agent, and the recorded answers with their grades. */
export interface Evals {
  cases: readonly Case[];
  /** By folder, then by case. */
  answers: readonly GradedAnswer[];
}

/** A case with its input. */
export interface Case {
  name: string;
  /** What is hard about the input, or null. */
  about: string | null;
  input: string;
  checks: EvalCase['checks'];
}

/** A recorded answer of a model to a case. */
export interface GradedAnswer {
  case: string;
  /** The name of the model's folder in evals/recordings/. */
  folder: string;
  recorded: Recorded;
  /** What changed since the answer was recorded; null if neither the prompt nor the input did. */
  stale: 'prompt' | 'input' | null;
  /** The exact answer. */
  answer: string;
  results: readonly Result[];
  /** What the same model said to the input alone, if that was recorded. */
  withoutPrompt: { answer: string; results: readonly Result[] } | null;
}

/** The result of one check. */
export interface Result {
  kind: CheckKind;
  /** The value of the check, as text; empty for checks without one. */
  value: string;
  why: string | null;
  /** What is wrong with the answer; null if it passed. */
  failure: string | null;
}

/** How the recorded answers of an agent did, for lists. */
export interface Proof {
  models: number;
  /** How many answers there are, and how many of them pass every check. */
  answers: number;
  passed: number;
  /** How many of the answers were recorded for another prompt or input. */
  stale: number;
}

/** Counts the recorded answers; null if there are none. */
export function proofOf({ answers }: Evals): Proof | null {
  if (answers.length === 0) return null;
  return {
    models: new Set(answers.map(({ folder }) => folder)).size,
    answers: answers.length,
    passed: answers.filter(isPassed).length,
    stale: answers.filter(({ stale }) => stale !== null).length,
  };
}

/** Whether an answer passes every check. */
export function isPassed({ results }: Pick<GradedAnswer, 'results'>): boolean {
  return results.every(({ failure }) => failure === null);
}

import * as z from 'zod';
import { check, checkKind, recorded } from './evals.ts';
import { issueNumber, slug, webUrl } from './fields.ts';

/** The paths of the documents below the base URL. */
export const evalsPath = 'api/evals.json';
export const agentEvalsPath = 'api/evals/{slug}.json';

const results = z
  .array(
    z.object({
      kind: checkKind,
      value: z.string().describe('What was checked, as text; empty for checks without a value'),
      why: z.string().nullable(),
      failure: z.string().nullable().describe('What is wrong with the answer; null if it passed'),
    }),
  )
  .describe('The results of the checks, in their order');

const evalCase = z.object({
  name: z.string(),
  about: z.string().nullable().describe('What is hard about the input'),
  input: z.string().describe('The exact input'),
  checks: z.array(check),
});

const gradedAnswer = z.object({
  case: z.string().describe('The name of its case'),
  folder: z.string().describe('The folder of the model in evals/recordings/'),
  recorded: recorded.describe('How the answer was made'),
  stale: z
    .enum(['prompt', 'input'])
    .nullable()
    .describe('What changed after the answer was recorded; null if neither the prompt nor the input did'),
  answer: z.string().describe('The exact answer'),
  results,
  withoutPrompt: z
    .object({ answer: z.string(), results })
    .nullable()
    .describe('What the same model said to the input alone; null if it was not recorded'),
});

const evals = z.object({
  cases: z.array(evalCase),
  answers: z.array(gradedAnswer).describe('The recorded answers, by model, then by case'),
});

/** The cases of an agent, and the recorded answers with their grades. */
export type Evals = z.output<typeof evals>;
export type Case = z.output<typeof evalCase>;
export type GradedAnswer = z.output<typeof gradedAnswer>;
export type Result = GradedAnswer['results'][number];

/** The response of getEvals. */
export const agentEvals = evals
  .extend({ slug, url: webUrl.describe('Human page') })
  .meta({ title: 'AgentEvals', description: 'The cases of an agent, and recorded answers with their grades' });

export type AgentEvals = z.output<typeof agentEvals>;

const proof = z.object({
  models: z.int().describe('How many models answered'),
  answers: z.int().describe('How many answers are recorded'),
  passed: z.int().describe('How many of them pass every check'),
  stale: z.int().describe('How many of them were recorded for another prompt or input'),
});

/** How the recorded answers of an agent did, for lists. */
export type Proof = z.output<typeof proof>;

/** The response of listEvals. */
export const evalsList = z
  .object({
    agents: z
      .array(z.object({ slug, issue: issueNumber, evals: webUrl.describe('The document with the answers'), proof }))
      .describe('Published agents with recorded answers, newest first'),
  })
  .meta({ title: 'EvalsList', description: 'The results of the recorded answers of all agents' });

export type EvalsList = z.output<typeof evalsList>;

/** Counts the recorded answers; null if there are none. */
export function proofOf({ answers }: Evals): Proof | null {
  if (answers.length === 0) return null;
  return {
    models: new Set(answers.map(({ folder }) => folder)).size,
    answers: answers.length,
    passed: answers.filter(({ results }) => isPassed(results)).length,
    stale: answers.filter(({ stale }) => stale !== null).length,
  };
}

/** Whether an answer passes every check. */
export function isPassed(results: readonly Result[]): boolean {
  return results.every(({ failure }) => failure === null);
}

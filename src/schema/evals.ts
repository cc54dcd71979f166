import * as z from 'zod';
import {
  date,
  issueNumber,
  line,
  listOf,
  maxSlugLength,
  sha256,
  slug,
  slugPattern,
  text,
  webUrl,
  wholeNumber,
} from './fields.ts';

/** The shapes of `evals/` in the folder of an agent: its cases with their checks, and the recorded answers. */

const phrase = text(2000);
const phrases = listOf(phrase, 'text').max(50, { error: 'a list of at most 50 texts' });
const pattern = text(1000).superRefine((source, context) => {
  const flaw = regexFlaw(source);
  if (flaw === null) return;
  const params = { hint: `JavaScript says: ${flaw}.` };
  context.addIssue({ code: 'custom', message: 'a regular expression', params });
});
const count = wholeNumber(0);
const isRange = ({ min, max }: { min?: number | undefined; max?: number | undefined }) =>
  (min ?? max) !== undefined && (min ?? 0) <= (max ?? Number.POSITIVE_INFINITY);
const range = z
  .strictObject({ min: count.optional().describe('The fewest'), max: count.optional().describe('The most') })
  .refine(isRange, { error: 'an object with `min`, `max` or both, and `min` not above `max`' });
const yes = z.literal(true);
const numberList = z
  .array(z.union([z.number(), phrase]))
  .min(1)
  .max(100);
const formula = z.union([z.number(), line(200)]).refine((value) => computed(String(value)) !== null, {
  error: 'a number, or a calculation such as 6 * 46 + 1.5',
});

/** Every kind of check: what its value is, and what the answer has to be. The first ones have promptfoo's names. */
const kinds = z.strictObject({
  equals: phrase.describe('The whole answer is this text'),
  contains: phrase.describe('The answer contains this text'),
  icontains: phrase.describe('The answer contains this text, in upper or lower case'),
  'contains-all': phrases.describe('The answer contains each of these texts'),
  'icontains-all': phrases.describe('The answer contains each of these texts, in upper or lower case'),
  'contains-any': phrases.describe('The answer contains at least one of these texts'),
  'icontains-any': phrases.describe('The answer contains at least one of these texts, in upper or lower case'),
  'starts-with': phrase.describe('The answer starts with this text'),
  regex: pattern.describe('Some part of the answer matches this regular expression'),
  'is-json': yes.describe('The whole answer is JSON'),
  'word-count': range.describe('The answer has this many words'),
  'not-equals': phrase.describe('The whole answer is not this text'),
  'not-contains': phrase.describe('The answer does not contain this text'),
  'not-icontains': phrase.describe('The answer does not contain this text, in upper or lower case'),
  'not-contains-any': phrases.describe('The answer contains none of these texts'),
  'not-icontains-any': phrases.describe('The answer contains none of these texts, in upper or lower case'),
  'not-starts-with': phrase.describe('The answer does not start with this text'),
  'not-regex': pattern.describe('No part of the answer matches this regular expression'),
  'line-count': range.describe('The answer has this many lines that are not blank'),
  headings: listOf(line(200), 'heading')
    .max(50)
    .describe('The answer has these headings, each on a line of its own, in this order'),
  'table-columns': z
    .array(line(200))
    .min(2, { error: 'a list of at least two columns' })
    .max(20)
    .describe('The answer has a Markdown table with exactly these columns'),
  'quotes-in-input': z
    .union([yes, z.strictObject({ min: count.optional(), allow: phrases.optional() })], {
      error: 'true, or an object with `min`, `allow` or both',
    })
    .describe('Every quotation of 12 characters or more occurs in the input, word for word; at least `min` do'),
  'numbers-in-input': z
    .union([yes, z.strictObject({ upTo: count.optional(), allow: numberList.optional() })], {
      error: 'true, or an object with `upTo`, `allow` or both',
    })
    .describe('Every number occurs in the input, is in `allow`, or is a whole number of at most `upTo`'),
  'last-line': phrases.describe('The last line starts with one of these texts'),
  'lines-in-order': listOf(phrase, 'text')
    .min(2, { error: 'a list of at least two texts' })
    .max(50)
    .describe('Lines with these texts appear in this order'),
  'matching-lines': z
    .strictObject({ regex: pattern, min: count.optional(), max: count.optional() })
    .refine(isRange, { error: 'an object with `regex`, and `min`, `max` or both, and `min` not above `max`' })
    .describe('This many lines match the regular expression'),
  'computed-number': z
    .strictObject({ after: phrase, is: formula, within: z.number().min(0).optional() })
    .describe('A line with the text `after` has this number behind it; `within` is how far it may be off'),
  'table-cell': z
    .strictObject({ row: phrase, column: line(200), says: phrases.optional(), never: phrases.optional() })
    .refine(({ says, never }) => (says ?? never) !== undefined, {
      error: 'an object with `row`, `column`, and `says`, `never` or both',
    })
    .describe('The cell of a table contains one of the texts in `says`, and none of those in `never`'),
  says: z
    .strictObject({ about: phrases, accept: phrases, never: phrases.optional() })
    .describe('A line about this contains an accepted text, and no such line contains a text in `never`'),
});

/** The kinds of checks, in the order of the documentation. */
export const checkKind = kinds.keyof();

export type CheckKind = z.output<typeof checkKind>;

/** The value of each kind of check. */
export type CheckValues = z.output<typeof kinds>;

/** The name of a case or a counterexample: a slug, since files have this name. */
const caseName = z
  .string()
  .max(maxSlugLength, { error: `at most ${maxSlugLength} characters long` })
  .regex(slugPattern, { error: 'lowercase words joined by hyphens, such as empty-input' });

/** One entry of `checks`: a single key of `CheckValues`, and perhaps `why` and `catches`. */
export const check = kinds
  .partial()
  .extend({
    why: line(300).optional().describe('Why the check matters, which readers see next to the result'),
    catches: z
      .record(caseName, line(300))
      .optional()
      .describe(
        'Wrong answers that this check must fail: files in evals/counterexamples/, and what is wrong with each',
      ),
  })
  .refine((entry) => Object.keys(entry).filter((key) => key !== 'why' && key !== 'catches').length === 1, {
    error: 'an object with exactly one check, such as `contains: unknown`, and optionally `why` and `catches`',
    // An unknown key is reported alone.
    when: ({ issues }) => issues.length === 0,
  });

export type Check = z.output<typeof check>;

const inputFile = z.string().regex(/^[a-z0-9]+(?:[.-][a-z0-9]+)*\.txt$/, {
  error: 'the name of a .txt file in evals/, in lowercase letters, digits, dots and hyphens',
});
const checkList = listOf(check, 'check').max(50, { error: 'a list of at most 50 checks' });

/** A person's reply to an answer, and the checks of the next answer. */
const turn = z
  .strictObject({
    says: text(2000).optional().describe('What the person says'),
    input: inputFile.optional().describe('The file in evals/ with what the person says, if it is long'),
    checks: checkList.describe('What is checked in the next answer'),
  })
  .refine(({ says, input }) => (says === undefined) !== (input === undefined), {
    error: 'an object with `says` or `input`, and with `checks`',
    when: ({ issues }) => issues.length === 0,
  });

const evalCase = z.strictObject({
  about: line(300).optional().describe('What is hard about the input, which readers see'),
  input: inputFile.optional().describe('The file in evals/ with the input; the case `sample` uses sample-input.txt'),
  checks: checkList.describe('What is checked in each answer'),
  turns: listOf(turn, 'turn')
    .max(10, { error: 'a list of at most 10 turns' })
    .optional()
    .describe('How the conversation goes on after the first answer'),
});

export type EvalCase = z.output<typeof evalCase>;

/** The case that uses the sample input of the agent. */
export const sampleCase = 'sample';

/** The schema of evals/checks.yaml: the cases by name. */
export const checksSource = z.record(caseName, evalCase).superRefine((cases, context) => {
  if (Object.keys(cases).length === 0)
    context.addIssue({ code: 'custom', message: 'an object with at least one case, such as `sample`' });
  for (const [name, { input }] of Object.entries(cases)) {
    if (name === sampleCase && input !== undefined) {
      const params = { hint: 'Remove the line, or give the case another name.' };
      const message = 'left out, because the case `sample` uses sample-input.txt';
      context.addIssue({ code: 'custom', path: [name, 'input'], message, params });
    } else if (name !== sampleCase && input === undefined) {
      context.addIssue({ code: 'custom', path: [name, 'input'], message: 'the name of a file in evals/' });
    }
  }
});

/** The entry of one answer in recording.json. */
export const recorded = z.strictObject({
  model: line(200).describe('The model, as its provider names it, or what is known of it'),
  date: date.describe('The date of the answer'),
  made: z
    .enum(['api', 'command', 'pasted'])
    .describe('How the answer was made: by an API, a command, or pasted by a person'),
  note: line(500).optional().describe('How it was made, in words'),
  withoutPrompt: z
    .strictObject({
      model: line(200).describe('The same model again'),
      date: date.describe('The date of that answer'),
      ask: line(500).optional().describe('The sentence before the input, as a person without the prompt would ask'),
    })
    .optional()
    .describe('How the answer without the prompt was made; if it is absent, the message was the input alone'),
  promptSha256: sha256.describe('The SHA-256 of prompt.txt at that time'),
  inputSha256: sha256.describe('The SHA-256 of the input at that time'),
  settings: z
    .record(
      line(60),
      z.union([z.string().max(500), z.number(), z.boolean()], {
        error: 'text of at most 500 characters, a number, true or false',
      }),
    )
    .optional()
    .describe('The settings of the model that were sent, such as `temperature`'),
  tokens: z
    .strictObject({ input: count.optional(), output: count.optional() })
    .optional()
    .describe('How many tokens the provider counted'),
});

export type Recorded = z.output<typeof recorded>;

/** The schema of evals/recordings/<model>/recording.json. */
export const recordingSource = z.strictObject({
  cases: z.record(caseName, recorded).describe('The recorded answers, by the names of their cases'),
});

/** The path of the document of an agent below the base URL. */
export const agentEvalsPath = 'api/evals/{slug}.json';

const results = z
  .array(
    z.object({
      kind: checkKind,
      value: z.string().describe('What was checked, as text; empty for checks without a value'),
      why: z.string().nullable(),
      failure: z.string().nullable().describe('What is wrong with the answer; null if it passed'),
      turn: z.int().optional().describe('Which answer of a conversation was checked, from 2; absent for the first'),
    }),
  )
  .describe('The results of the checks, in their order');

const challenged = z.object({
  checks: z.array(check),
  counterexamples: z
    .array(
      z.object({
        name: z.string().describe('The name of its file, without .txt'),
        wrong: z.string().describe('What is wrong with it'),
        check: z.int().describe('The index in `checks` of the check that must fail'),
        answer: z.string().describe('The exact text'),
        results,
      }),
    )
    .describe('Wrong answers, each of which has to fail its check'),
});

const gradedCase = challenged.extend({
  name: z.string(),
  about: z.string().nullable().describe('What is hard about the input'),
  input: z.string().describe('The exact input'),
  turns: z
    .array(challenged.extend({ says: z.string().describe('What the person says') }))
    .describe('How the conversation goes on after the first answer'),
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
  turns: z.array(z.string()).describe('The later answers of a conversation'),
  results,
  withoutPrompt: z
    .object({ answer: z.string(), results })
    .nullable()
    .describe('What the same model said to the input alone; null if it was not recorded'),
});

const evals = z.object({
  cases: z.array(gradedCase),
  answers: z.array(gradedAnswer).describe('The recorded answers, by model, then by case'),
});

/** The cases of an agent, and the recorded answers with their grades. */
export type Evals = z.output<typeof evals>;
export type Case = z.output<typeof gradedCase>;
export type Counterexample = Case['counterexamples'][number];
export type GradedAnswer = z.output<typeof gradedAnswer>;
export type Result = GradedAnswer['results'][number];

/** The response of getEvals. */
const agentEvals = evals
  .extend({ slug, url: webUrl.describe('Human page') })
  .meta({ title: 'AgentEvals', description: 'The cases of an agent, and recorded answers with their grades' });

export type AgentEvals = z.output<typeof agentEvals>;

const proof = z.object({
  models: z.int().describe('How many models answered, not counting those whose version is not stated'),
  answers: z.int().describe('How many answers are recorded'),
  passed: z.int().describe('How many of them pass every check'),
  stale: z.int().describe('How many of them were recorded for another prompt or input'),
});

/** How the recorded answers of an agent did, for lists. */
export type Proof = z.output<typeof proof>;

/** The response of listEvals. */
const evalsList = z
  .object({
    agents: z
      .array(z.object({ slug, issue: issueNumber, evals: webUrl.describe('The document with the answers'), proof }))
      .describe('Published agents with recorded answers, newest first'),
  })
  .meta({ title: 'EvalsList', description: 'The results of the recorded answers of all agents' });

export type EvalsList = z.output<typeof evalsList>;

/** Both documents, under their names in the OpenAPI description. */
export const evalShapes = { EvalsList: evalsList, AgentEvals: agentEvals };

/** Counts the recorded answers; null if there are none. */
export function proofOf({ answers }: Evals): Proof | null {
  if (answers.length === 0) return null;
  return {
    models: new Set(answers.flatMap(({ folder, recorded }) => (isNamed(recorded) ? [folder] : []))).size,
    answers: answers.length,
    passed: answers.filter(({ results }) => isPassed(results)).length,
    stale: answers.filter(({ stale }) => stale !== null).length,
  };
}

/** Whether the exact model of an answer is known. */
export function isNamed({ model }: Pick<Recorded, 'model'>): boolean {
  return !/\bnot stated\b/i.test(model);
}

/** The checks of each answer of a conversation, in order. `path` leads to the checks in evals/checks.yaml. */
export function roundsOf({ name, turns, ...first }: Case) {
  const path = (index: number) => [name, ...(index === 0 ? [] : ['turns', index - 1]), 'checks'];
  return [first, ...turns].map(({ checks, counterexamples }, index) => ({
    checks,
    counterexamples,
    path: path(index),
  }));
}

/** Returns the kind of a check. */
export function kindOf(check: Check): CheckKind {
  return checkKind.options.find((kind) => check[kind] !== undefined) as CheckKind;
}

/** Returns what a check looks for, as the API and pages describe it. */
export function descriptionOf(check: Check): Pick<Result, 'kind' | 'value' | 'why'> {
  const kind = kindOf(check);
  return { kind, value: shown(check[kind]), why: check.why ?? null };
}

function shown(value: unknown): string {
  if (value === true) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.join(' · ');
  return Object.entries(value as object)
    .map(([key, item]) => `${key} ${Array.isArray(item) ? item.join(', ') : item}`)
    .join(', ');
}

/** Whether an answer passes every check. */
export function isPassed(results: readonly Result[]): boolean {
  return results.every(({ failure }) => failure === null);
}

/** Returns a regular expression as JavaScript, in one line. */
export function regexCode(source: string): string {
  const { pattern, flags } = partsOf(source);
  return `new RegExp(${JSON.stringify(pattern)}, ${JSON.stringify(flags)})`;
}

/** Computes a number, or a calculation with `+ - * / ( )`. Returns null if the text is none. */
export function computed(text: string): number | null {
  const tokens = text.replaceAll('×', '*').match(/\d+(?:\.\d+)?|[-+*/()]|\S/g) ?? [];
  let at = 0;
  const next = (...expected: string[]) => expected.includes(tokens[at] ?? '') && tokens[at++];
  const value = (): number => {
    if (next('-')) return -value();
    if (!next('(')) return Number(tokens[at++] ?? Number.NaN);
    const inner = sum();
    return next(')') ? inner : Number.NaN;
  };
  const product = (): number => {
    let result = value();
    for (let sign = next('*', '/'); sign; sign = next('*', '/'))
      result = sign === '*' ? result * value() : result / value();
    return result;
  };
  const sum = (): number => {
    let result = product();
    for (let sign = next('+', '-'); sign; sign = next('+', '-')) result += sign === '+' ? product() : -product();
    return result;
  };
  const result = sum();
  return at === tokens.length && Number.isFinite(result) ? result : null;
}

/** Says what is wrong with a regular expression, or returns null. */
function regexFlaw(source: string): string | null {
  const { pattern, flags } = partsOf(source);
  try {
    new RegExp(pattern, flags);
    return null;
  } catch (error) {
    return (error as Error).message.split(': ').at(-1) ?? '';
  }
}

/** `^` and `$` match at every line. `(?i)` at the start makes upper and lower case the same. */
function partsOf(source: string): { pattern: string; flags: string } {
  return source.startsWith('(?i)') ? { pattern: source.slice(4), flags: 'imu' } : { pattern: source, flags: 'mu' };
}

import { score, scoreOf, scoreTable } from '../../evals/score-table.ts';
import { sampleCase } from '../../schema/evals.ts';
import { type GradedAnswer, isPassed, type Result } from '../../schema/graded.ts';
import type { PublishedAgent } from '../site.ts';

/** What the section "Proof" of an agent's page shows; null for an agent without recorded answers. */
export function proofSection({ evals, proof }: PublishedAgent) {
  if (proof === null || evals === null) return null;
  const { rows } = scoreTable(evals);
  return {
    ...proof,
    cases: evals.cases.map(({ name, about, input }) => ({ name, about, input, isSample: name === sampleCase })),
    rows: rows.map(({ model, answers }) => ({
      model,
      cells: answers.map((answer) =>
        answer === null ? null : { id: idOf(answer), score: scoreOf(answer), failed: !isPassed(answer.results) },
      ),
    })),
    recorded: evals.answers.map(answerOf),
  };
}

function answerOf(graded: GradedAnswer) {
  const { case: name, recorded, stale, answer, results, withoutPrompt } = graded;
  const { model, date, made, note = null, settings = {}, tokens = {} } = recorded;
  const facts = [
    ...Object.entries(settings).map(([key, value]) => `${key} ${value}`),
    ...(tokens.input === undefined ? [] : [`${tokens.input} tokens in`]),
    ...(tokens.output === undefined ? [] : [`${tokens.output} tokens out`]),
  ];
  return {
    id: idOf(graded),
    model,
    name,
    date,
    made: ways[made],
    note,
    facts: facts.join(', '),
    stale,
    score: scoreOf(graded),
    results: results.map(resultOf),
    answer,
    withoutPrompt:
      withoutPrompt === null ? null : { score: score(withoutPrompt.results), answer: withoutPrompt.answer },
  };
}

const ways = { api: 'Recorded through an API', command: 'Recorded with a command', pasted: 'Pasted by a person' };

function resultOf({ kind, value, why, failure }: Result) {
  return { kind, value, why, failure };
}

/** The id of an answer in the page. Neither part has two hyphens in a row. */
function idOf({ folder, case: name }: GradedAnswer): string {
  return `proof-${folder}--${name}`;
}

import type { Evals, GradedAnswer, Result } from '../schema/evals.ts';

/** The scores of an agent: a row for each model, and a column for each case. */
export function scoreTable({ cases, answers }: Evals) {
  const names = cases.map(({ name }) => name);
  const folders = [...new Set(answers.map(({ folder }) => folder))];
  const rows = folders.map((folder) => {
    const own = answers.filter((answer) => answer.folder === folder);
    return {
      /** The folder of the model. */
      folder,
      /** The name of the model; of several, the one of its first answer. */
      model: own[0]?.recorded.model ?? folder,
      /** Its answer to each case, or null. */
      answers: names.map((name) => own.find((answer) => answer.case === name) ?? null),
    };
  });
  return { cases: names, rows };
}

/** A line for each check that failed. Few people can read a long regular expression, so the reason of a check comes first. */
export function failureLines({ answers }: Evals): string[] {
  return answers.flatMap(({ case: name, recorded, results }) =>
    results.flatMap(({ kind, value, why, failure, turn }) => {
      const check = why === null ? `${kind}${value === '' ? '' : ` ${value}`}:` : `${kind}: ${why}`;
      const answer = `${recorded.model}, ${name}${turn === undefined ? '' : `, answer ${turn}`}`;
      return failure === null ? [] : [`${answer}, ${check} ${failure}`];
    }),
  );
}

/** How many checks an answer passes, such as `5 of 6`. */
export function score(results: readonly Result[]): string {
  return `${results.filter(({ failure }) => failure === null).length} of ${results.length}`;
}

/** The score of an answer, which says so if the answer is out of date. */
export function scoreOf(answer: GradedAnswer | null): string {
  if (answer === null) return '–';
  return `${score(answer.results)}${answer.stale === null ? '' : ', out of date'}`;
}

import { scoreOf, scoreTable } from '../evals/score-table.ts';
import type { Evals } from '../schema/graded.ts';

/** An agent and its recorded answers. */
export interface GradedAgent {
  slug: string;
  evals: Evals;
}

/** The scores of an agent for people: a table of models and cases, then the checks that failed. */
export function evalReport({ slug, evals }: GradedAgent): string {
  const { cases, rows } = scoreTable(evals);
  const table = [
    [slug, ...cases],
    ...rows.map(({ model, answers }) => [`  ${model}`, ...answers.map(scoreOf)]),
    ...(rows.length === 0 ? [['  no recorded answers']] : []),
  ];
  const widths = [slug, ...cases].map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${[...lines, ...failures(evals)].join('\n')}\n`;
}

/** A line for each check that failed. */
function failures({ answers }: Evals): string[] {
  return answers.flatMap(({ case: name, recorded, results }) =>
    results
      .filter(({ failure }) => failure !== null)
      .map(
        ({ kind, value, failure }) =>
          `  failed: ${recorded.model}, ${name}, ${kind}${value === '' ? '' : ` ${value}`}: ${failure}`,
      ),
  );
}

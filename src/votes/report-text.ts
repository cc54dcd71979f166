import { visible } from '../text-safety/printable.ts';
import type { Totals, VoteReport } from './report.ts';

/** Renders a report for a terminal: a table of the agents, then the last notes. Ends with a newline. */
export function reportText(report: VoteReport): string {
  const { since, totals, agents, notes, malformed } = report;
  const from = since === null ? '' : ` since ${since}`;
  const parts = [
    totals.votes === 0
      ? `No votes${from}.`
      : table([
          ['agent', 'votes', 'yes', 'no', 'share'],
          ...agents.map((agent) => [agent.slug + (agent.withdrawn ? ' (withdrawn)' : ''), ...numbers(agent)]),
          [`all${from}`, ...numbers(totals)],
        ]),
    ...(notes.length === 0
      ? []
      : [['Last notes', ...notes.map((it) => `${it.time}  ${it.slug}  ${it.vote}  ${visible(it.note)}`)].join('\n')]),
    ...(malformed === 0
      ? []
      : [`${malformed} ${malformed === 1 ? 'line is not a vote and was' : 'lines are not votes and were'} left out.`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function numbers({ votes, yes, no, share }: Totals): string[] {
  return [String(votes), String(yes), String(no), share === null ? '' : `${(share * 100).toFixed(1)} %`];
}

/** Renders a table with left-aligned names and right-aligned numbers, without a newline at its end. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

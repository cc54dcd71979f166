import type { VoteReport } from './report.ts';

/** Renders the agents of a report as CSV (RFC 4180): a header, then a line each; the share from 0 to 1. */
export function agentsCsv({ agents }: VoteReport): string {
  return csv(
    ['slug', 'votes', 'yes', 'no', 'share', 'withdrawn', 'last_note'],
    agents.map(({ slug, votes, yes, no, share, withdrawn, lastNote }) => [
      slug,
      votes,
      yes,
      no,
      share ?? '',
      withdrawn ? 'yes' : 'no',
      lastNote?.note ?? '',
    ]),
  );
}

/** Renders the notes of a report as CSV (RFC 4180): a header, then a line each, newest first. */
export function notesCsv({ notes }: VoteReport): string {
  return csv(
    ['time', 'slug', 'vote', 'note', 'id'],
    notes.map(({ time, slug, vote, note, id }) => [time, slug, vote, note, id]),
  );
}

type Cell = string | number;

function csv(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((cells) => `${cells.map(field).join(',')}\r\n`).join('');
}

/**
 * A spreadsheet runs a text that starts like this as a formula, and anybody may write a note: an apostrophe in front
 * makes it text. See https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

function field(cell: Cell): string {
  if (typeof cell === 'number') return String(cell);
  const safe = formula.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

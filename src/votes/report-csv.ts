import { csv } from '../text-safety/csv.ts';
import type { VoteReport } from './report.ts';

/** Renders the agents of a report as CSV, one on each line; the share is from 0 to 1. */
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

/** Renders the notes of a report as CSV, one on each line, newest first. */
export function notesCsv({ notes }: VoteReport): string {
  return csv(
    ['time', 'slug', 'vote', 'note', 'id'],
    notes.map(({ time, slug, vote, note, id }) => [time, slug, vote, note, id]),
  );
}

import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { titleTaken } from '../../diagnostics/messages/titles-and-slugs.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { byDate } from './calendar-rules.ts';
import { inFrontMatter } from './front-matter-finding.ts';

/** A title in the form in which titles are compared. */
export function plainTitle(title: string): string {
  return title.normalize('NFKC').toLowerCase().split(/\s+/).join(' ').trim();
}

/**
 * Reports all but one of the agents that share a title. The agent that was published first keeps the title. Agents
 * without a number come after it; drafts and the folders in `blamed` come last. Titles of withdrawn agents are free.
 */
export function takenTitles(folders: readonly ParsedFolder[], blamed: ReadonlySet<string | null>): Diagnostic[] {
  const rank = ({ slug, schedule }: ParsedFolder) => {
    if (schedule.draft || blamed.has(slug)) return Number.MAX_SAFE_INTEGER;
    return schedule.issue ?? Number.MAX_SAFE_INTEGER - 1;
  };
  const owners = new Map<string, ParsedFolder>();
  return folders
    .filter(({ schedule: { title, withdrawn } }) => title && title === title.trim() && !withdrawn)
    .sort((a, b) => rank(a) - rank(b) || byDate(a, b))
    .flatMap((folder) => {
      const title = plainTitle(folder.schedule.title ?? '');
      const owner = owners.get(title);
      if (owner === undefined) {
        owners.set(title, folder);
        return [];
      }
      return inFrontMatter(folder, 'title', { code: 'title/taken', ...titleTaken(owner.slug) });
    });
}

import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { withFields } from '../../with-fields.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { byDate, firstFreeDate, takenNumber } from './calendar-rules.ts';
import { inFrontMatter } from './front-matter-finding.ts';
import type { LostNumber, PublicationRecord } from './record.ts';
import type { RecordedAgent, Reserved } from './record-rules.ts';

interface Claimed {
  owners: ReadonlyMap<string, RecordedAgent>;
  published: readonly RecordedAgent[];
  reserved: readonly Reserved[];
  lost: readonly LostNumber[];
  record: PublicationRecord | null;
  today: string;
}

/** Checks the numbers that no record confirms. Folders with a refused number then count as having none. */
export function checkClaims(
  folders: readonly ParsedFolder[],
  { owners, published, reserved, lost, record, today }: Claimed,
): { refused: Set<string>; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const refused = new Set<string>();
  const holders = new Map<number, { slug: string; date: string | null }>();
  for (const holder of [...reserved, ...published]) holders.set(holder.issue, holder);
  for (const [slug, { issue, date }] of owners) holders.set(issue, { slug, date });
  let highest = Math.max(0, ...holders.keys());
  const counting = holders.size > 0;
  const confirmed = folders.map((folder) =>
    owners.has(folder.slug) ? folder : { schedule: { ...folder.schedule, issue: null } },
  );
  const free = firstFreeDate({ folders: confirmed, reserved }, today);
  const claims = folders
    .filter(({ slug, schedule }) => schedule.issue !== null && !owners.has(slug))
    .sort((a, b) => (a.schedule.issue ?? 0) - (b.schedule.issue ?? 0) || byDate(a, b));
  for (const folder of claims) {
    const issue = folder.schedule.issue as number;
    const holder = holders.get(issue);
    const next = counting ? highest + 1 : null;
    const finding = refusal(folder, {
      today,
      holder,
      next,
      free,
      where: record === null ? '' : ` on ${record.branch}`,
    });
    if (finding === null || lost.some((number) => number.slug === folder.slug && number.issue === issue)) {
      if (counting) {
        holders.set(issue, { slug: folder.slug, date: folder.schedule.date });
        highest = Math.max(highest, issue);
      }
    } else {
      refused.add(folder.slug);
      diagnostics.push(finding);
    }
  }
  for (const { slug, issue, commit } of lost) {
    const folder = folders.find((candidate) => candidate.slug === slug);
    if (folder === undefined || owners.has(slug) || folder.schedule.issue !== null) continue;
    if (reserved.some((number) => number.slug === slug && number.issue === issue)) {
      diagnostics.push(lostLine(folder, issue, `until commit ${commit.slice(0, 12)}`));
    }
  }
  return { refused, diagnostics };
}

interface Claim {
  today: string;
  /** The agent that already has the number. */
  holder: { slug: string; date: string | null } | undefined;
  /** The next number; null if no number was ever given. */
  next: number | null;
  /** The first free date. */
  free: string;
  where: string;
}

/** Returns an error if a folder cannot have the number in its front matter, or null. */
function refusal(folder: ParsedFolder, { today, holder, next, free, where }: Claim): Diagnostic | null {
  const { issue, date, draft } = folder.schedule;
  const hint = 'Delete the `issue` line; `catalog publish` writes the next number.';
  if (date !== null && date > today) {
    const message = `This agent is dated ${date}, so it cannot have a number yet.`;
    const then = 'Delete the `issue` line; `catalog publish` writes the number on that date.';
    return inFrontMatter(folder, 'issue', { code: 'issue/early', message, hint: then });
  }
  if (next === null || holder?.slug === folder.slug) return null;
  if (holder !== undefined) return takenNumber(folder, holder, `has it${where}`, free);
  if (draft)
    return inFrontMatter(folder, 'draft', { code: 'issue/draft', message: 'A draft cannot have a number.', hint });
  if (issue === next) return null;
  const message = `The next number is ${next}, not ${issue}.`;
  return inFrontMatter(folder, 'issue', { code: 'issue/skipped', message, hint });
}

/**
 * The error for a published agent whose `issue` line is missing. `where` names the branch or commit that has the
 * number.
 */
export function lostLine(folder: ParsedFolder, issue: number, where: string): Diagnostic {
  const { draft } = folder.schedule;
  return inFrontMatter(folder, draft ? 'draft' : 'date', {
    code: 'record/issue',
    message: `This agent was published as No. ${issue} (${where}), but its \`issue\` line is missing.`,
    hint: `${draft ? `Replace the line \`draft\` with \`issue: ${issue}\`` : `Put the line \`issue: ${issue}\` back below the date`}; to withdraw the agent, also add \`withdrawn: <reason>\`.`,
  });
}

/** Returns a copy of the folder without its number. */
export function withoutNumber(folder: ParsedFolder): ParsedFolder {
  const agent = folder.agent === null ? null : withFields(folder.agent, { issue: null });
  return rescheduled(folder, { schedule: { ...folder.schedule, issue: null }, agent });
}

/** Returns a copy of the folder with another schedule. Its texts are still only read when they are used. */
export function rescheduled(
  folder: ParsedFolder,
  { schedule, agent }: Pick<ParsedFolder, 'schedule' | 'agent'>,
): ParsedFolder {
  const { slug, written, diagnostics } = folder;
  return {
    slug,
    get texts() {
      return folder.texts;
    },
    agent,
    written,
    schedule,
    diagnostics,
  };
}

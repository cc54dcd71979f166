import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { numberLost, untilCommit } from '../../diagnostics/messages/git-record.ts';
import { numberOfDraft, numberSkipped, numberTooEarly, whyKept } from '../../diagnostics/messages/numbers-and-dates.ts';
import { withFields } from '../../with-fields.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { byDate, firstFreeDate, takenNumber } from './calendar-rules.ts';
import { inFrontMatter } from './front-matter-finding.ts';
import type { LostNumber, PublicationRecord, RecordedAgent, Reserved } from './record.ts';

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
      branch: record?.branch ?? null,
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
      diagnostics.push(lostLine(folder, issue, untilCommit(commit)));
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
  /** The branch that has the numbers; null without a record. */
  branch: string | null;
}

/** Returns an error if a folder cannot have the number in its front matter, or null. */
function refusal(folder: ParsedFolder, { today, holder, next, free, branch }: Claim): Diagnostic | null {
  const { issue, date, draft } = folder.schedule;
  if (date !== null && date > today) {
    return inFrontMatter(folder, 'issue', { code: 'issue/early', ...numberTooEarly(date) });
  }
  if (next === null || holder?.slug === folder.slug) return null;
  if (holder !== undefined) return takenNumber(folder, holder, whyKept(branch), free);
  if (draft) return inFrontMatter(folder, 'draft', { code: 'issue/draft', ...numberOfDraft });
  if (issue === next) return null;
  return inFrontMatter(folder, 'issue', { code: 'issue/skipped', ...numberSkipped(next, issue) });
}

/** The error for a published agent whose `issue` line is missing. `where` is the branch or commit that has the number. */
export function lostLine(folder: ParsedFolder, issue: number, where: string): Diagnostic {
  const { draft } = folder.schedule;
  return inFrontMatter(folder, draft ? 'draft' : 'date', {
    code: 'record/issue',
    ...numberLost(issue, where, draft),
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

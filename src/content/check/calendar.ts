import { addDays } from '../../lib/calendar.ts';
import { compareText } from '../../lib/text.ts';
import { type Diagnostic, diagnose, type Wording } from '../../schema/diagnostics/diagnostic.ts';
import { locationsInFrontMatter } from '../../schema/diagnostics/yaml-location.ts';
import { numberMessages } from '../../schema/messages/numbers.ts';
import type { Reserved } from '../history.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { pathOf } from '../read.ts';

/** Makes a diagnostic for the value at `path` in the front matter of an agent. */
export function inFrontMatter(
  folder: ParsedFolder,
  path: string | (string | number)[],
  code: Diagnostic['code'],
  wording: Wording,
): Diagnostic {
  const text = folder.texts().get('agent.md');
  const position = text?.startsWith('---\n')
    ? { text, location: locationsInFrontMatter(text)(typeof path === 'string' ? [path] : path) }
    : {};
  return diagnose({ code, ...wording, ...position, file: pathOf(folder.slug, 'agent.md'), slug: folder.slug });
}

/**
 * Returns the indexes of a longest subsequence of `values` that never falls; if there are several, the one with the
 * earliest values.
 */
function longestRise(values: readonly string[]): Set<number> {
  // Works backward to find the length of the longest subsequence that starts at each index. `starts[n]` is the greatest
  // value that starts one of length n + 1, so `starts` never rises.
  const starts: string[] = [];
  const lengths: number[] = [];
  for (let index = values.length - 1; index >= 0; index -= 1) {
    const value = values[index] as string;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as string) >= value) low = middle + 1;
      else high = middle;
    }
    starts[low] = value;
    lengths[index] = low + 1;
  }
  const kept = new Set<number>();
  let left = starts.length;
  for (const [index, length] of lengths.entries()) {
    // The value is not less than the last one kept: otherwise, its length would be greater.
    if (length !== left) continue;
    kept.add(index);
    left -= 1;
  }
  return kept;
}

/** A title in the form in which titles are compared. */
export function plainTitle(title: string): string {
  return title.normalize('NFKC').toLowerCase().split(/\s+/).join(' ').trim();
}

/** The place of a folder among those that want the same thing, of which the first keeps it. */
type Rank = (folder: ParsedFolder) => number;

/**
 * Numbered agents come first, in the order of their numbers. Of the others, those in `onBranch` precede new ones, and
 * drafts follow. The folders in `blamed` are last.
 */
function rankOf({ blamed, onBranch }: { blamed: ReadonlySet<string | null>; onBranch: ReadonlySet<string> }): Rank {
  const rest = (slug: string, draft: boolean) => (draft ? 4e9 : 2e9) + (onBranch.has(slug) ? 0 : 1);
  return ({ slug, schedule: { issue, draft } }) => (blamed.has(slug) ? 9e9 : (issue ?? rest(slug, draft)));
}

/** Reports all but the first of the agents that share a title. Titles of withdrawn agents are free. */
function takenTitles(folders: readonly ParsedFolder[], rank: Rank): Diagnostic[] {
  const owners = new Map<string, ParsedFolder>();
  return folders
    .filter(({ schedule: { title, withdrawn } }) => title && title === title.trim() && !withdrawn)
    .sort((a, b) => rank(a) - rank(b) || byDate(a, b))
    .flatMap((folder) => {
      const title = plainTitle(folder.schedule.title ?? '');
      const owner = owners.get(title);
      owners.set(title, owner ?? folder);
      return owner ? inFrontMatter(folder, 'title', 'title/taken', numberMessages.titleTaken(owner.slug)) : [];
    });
}

/** The folders of a catalog, and the numbers and dates that are reserved for agents outside these folders. */
export interface Calendar {
  folders: readonly ParsedFolder[];
  reserved: readonly Reserved[];
}

/** The part of a calendar that decides which dates are free. */
interface Schedules extends Pick<Calendar, 'reserved'> {
  folders: readonly Pick<ParsedFolder, 'schedule'>[];
}

/**
 * Checks folders for conflicts of numbers, dates, former slugs and titles (C3.22 to C3.24: an agent keeps its number
 * permanently, at most one agent is published a day, and later agents have higher numbers).
 *
 * `today` is the earliest date that is suggested as free. Folders in `blamed` already have an error that explains any
 * conflict, so they get no further one. If two folders have the same date or title, the one in `onBranch` keeps it.
 */
export function checkTogether(
  { folders, reserved }: Calendar,
  today: string,
  { blamed, onBranch }: { blamed: ReadonlySet<string | null>; onBranch: ReadonlySet<string> },
): Diagnostic[] {
  // Each agent that needs another date gets one of its own, so that editors who follow the advice do not collide again.
  const free = freeDates({ folders, reserved }, today);
  const numbers = takenNumbers(folders.filter(hasIssue).sort(byNumber), free);
  const explained = new Set([...blamed, ...numbers.map(({ slug }) => slug)]);
  const unexplained = folders.filter(({ slug }) => !explained.has(slug));
  const rank = rankOf({ blamed: explained, onBranch });
  const others = [
    ...fallingDates(unexplained.filter(hasIssue).sort(byNumber)),
    ...takenDates({ folders: unexplained, reserved }, free, rank),
    ...backdated({ folders, reserved }, free, explained),
    ...exceptions(folders),
    ...takenSlugs(folders, rank),
    ...takenTitles(folders, rank),
  ];
  return [...numbers, ...others.filter(({ slug }) => !explained.has(slug))];
}

/** Returns a function that gives the free days one by one, from `today` on, after the last numbered agent. */
export function freeDates(calendar: Schedules, today: string): () => string {
  const taken = datesOf(calendar);
  const last = lastNumberedDate(calendar);
  let day = last !== null && last >= today ? last : addDays(today, -1);
  return () => {
    do day = addDays(day, 1);
    while (taken.has(day));
    return day;
  };
}

/** Returns the first of them. */
export function firstFreeDate(calendar: Schedules, today: string): string {
  return freeDates(calendar, today)();
}

/** Returns the dates that agents have, with null for those without a date. */
function datesOf({ folders, reserved }: Schedules): Set<string | null> {
  return new Set([...folders.map(({ schedule }) => schedule), ...reserved].map(({ date }) => date));
}

/** Returns the date of the last numbered agent, YYYY-MM-DD; null if no agent has a number. */
export function lastNumberedDate({ folders, reserved }: Schedules): string | null {
  const dates = datesOf({ folders: folders.filter(({ schedule }) => schedule.issue !== null), reserved });
  return [...dates].reduce((last, date) => ((date ?? '') > (last ?? '') ? date : last), null);
}

/** Compares folders by date, for use with sort. */
export function byDate(a: ParsedFolder, b: ParsedFolder): number {
  return compareText(a.schedule.date ?? '', b.schedule.date ?? '') || compareText(a.slug, b.slug);
}

/** The error for a folder whose number another folder keeps. `why` says why that folder keeps it. */
export function takenNumber(
  folder: ParsedFolder,
  keeper: { slug: string; date: string | null; branch?: string | null },
  free: () => string,
): Diagnostic {
  const { issue, date } = folder.schedule;
  const isSameDate = date !== null && date === keeper.date;
  const wording = numberMessages.numberTaken(issue, keeper, isSameDate ? free() : null);
  return inFrontMatter(folder, 'issue', 'issue/taken', wording);
}

type Numbered = ParsedFolder & { schedule: { issue: number } };

function hasIssue(folder: ParsedFolder): folder is Numbered {
  return folder.schedule.issue !== null;
}

function byNumber(a: Numbered, b: Numbered): number {
  return a.schedule.issue - b.schedule.issue || byDate(a, b);
}

/** If the default branch does not say which agent had a number first, the first by date and slug keeps it. */
function takenNumbers(numbered: readonly Numbered[], free: () => string): Diagnostic[] {
  let keeper = numbered[0];
  return numbered.slice(1).flatMap((folder) => {
    if (keeper !== undefined && folder.schedule.issue === keeper.schedule.issue) {
      const { slug, schedule } = keeper;
      return [takenNumber(folder, { slug, date: schedule.date }, free)];
    }
    keeper = folder;
    return [];
  });
}

/**
 * Reports agents whose number and date are out of order. It reports as few agents as possible and, of two agents that
 * conflict, the one with the higher number.
 */
function fallingDates(numbered: readonly Numbered[]): Diagnostic[] {
  const dated = numbered.filter(({ schedule }) => schedule.date !== null);
  const kept = longestRise(dated.map(({ schedule }) => schedule.date as string));
  return dated.flatMap((folder, index) => {
    if (kept.has(index)) return [];
    const { issue, date } = folder.schedule;
    const before = dated.findLast(
      (other, at) => at < index && kept.has(at) && (other.schedule.date ?? '') > (date ?? ''),
    );
    const after = dated.find((other, at) => at > index && kept.has(at) && (other.schedule.date ?? '') < (date ?? ''));
    const other = before ?? after;
    if (other === undefined) return [];
    const wording = numberMessages.numberOutOfOrder({ issue, date }, { ...other.schedule, slug: other.slug });
    return inFrontMatter(folder, 'issue', 'issue/order', wording);
  });
}

function takenDates({ folders, reserved }: Calendar, free: () => string, rank: Rank): Diagnostic[] {
  const ordered = [...folders].sort((a, b) => rank(a) - rank(b) || compareText(a.slug, b.slug));
  const owners = new Map<string | null, { slug: string }>(reserved.map((number) => [number.date, number]));
  return ordered.flatMap((folder) => {
    const { date } = folder.schedule;
    const owner = owners.get(date) ?? folder;
    owners.set(date, owner);
    // A published agent whose number was changed does not conflict with itself.
    if (date === null || owner.slug === folder.slug) return [];
    return inFrontMatter(folder, 'date', 'date/taken', numberMessages.dateTaken(date, owner.slug, free()));
  });
}

function backdated(calendar: Calendar, free: () => string, explained: ReadonlySet<string | null>): Diagnostic[] {
  const last = lastNumberedDate(calendar);
  const dates = new Set(calendar.folders.filter(hasIssue).map(({ schedule }) => schedule.date));
  const numberless = calendar.folders.filter((folder) => !hasIssue(folder) && !explained.has(folder.slug));
  return numberless.flatMap((folder) => {
    const { date, draft } = folder.schedule;
    if (draft || date === null || last === null || date > last || dates.has(date)) return [];
    return inFrontMatter(folder, 'date', 'date/backdated', numberMessages.dateTooLate(date, last, free()));
  });
}

function exceptions(folders: readonly ParsedFolder[]): Diagnostic[] {
  return folders.flatMap((folder) => {
    const { issue, draft, withdrawn } = folder.schedule;
    if (issue !== null && draft) {
      return inFrontMatter(folder, 'draft', 'issue/draft', numberMessages.publishedDraft(issue));
    }
    if (withdrawn && issue === null) {
      return inFrontMatter(folder, 'withdrawn', 'withdrawn/unnumbered', numberMessages.nothingToWithdraw);
    }
    return [];
  });
}

/** Reports former slugs that another agent has. An agent with a number keeps its old addresses. */
function takenSlugs(folders: readonly ParsedFolder[], rank: Rank): Diagnostic[] {
  const owners = new Map(folders.map((folder) => [folder.slug, folder]));
  const ordered = [...folders].sort((a, b) => rank(a) - rank(b));
  return ordered.flatMap((folder) =>
    folder.schedule.formerSlugs.flatMap((slug, index) => {
      const owner = owners.get(slug);
      owners.set(slug, owner ?? folder);
      if (owner === undefined) return [];
      if (owner.slug === slug && hasIssue(folder) && !hasIssue(owner))
        return inFrontMatter(owner, 'title', 'slug/taken', numberMessages.slugWasTaken(slug, folder.slug));
      const wording = numberMessages.formerSlugTaken(slug, owner.slug);
      return inFrontMatter(folder, ['formerSlugs', index], 'slug/taken', wording);
    }),
  );
}

import { addDays } from '../lib/calendar.ts';
import { groupBy } from '../lib/groups.ts';
import { compareText, plural } from '../lib/text.ts';
import type { Agent } from '../schema/agent.ts';
import type { Diagnostic } from '../schema/diagnostics/diagnostic.ts';
import type { Settings } from '../schema/settings.ts';
import { byDate, type Calendar, freeDates } from './check/calendar.ts';
import { type Content, isDue } from './load.ts';
import type { ParsedFolder } from './parse/parse.ts';

/** Which agents a build includes, besides those that are due. */
export interface Selection {
  /** The day that decides which agents are due, YYYY-MM-DD. */
  today: string;
  /** Whether to include agents dated later. */
  future?: boolean;
  /** Whether to include drafts. */
  drafts?: boolean;
  /**
   * Whether to skip new agents that have errors instead of failing. Where a folder contradicts the default branch about a
   * published agent, the branch is used.
   */
  skipInvalid?: boolean;
  /** Slugs of the last build. These agents are never skipped, since that would unpublish them. */
  published?: ReadonlySet<string>;
}

/** The agents that a build renders, and the errors that stop it. */
export type Selected = ReturnType<typeof select>;

/** Whether a build that skips errors can ignore this error, because it uses the default branch instead. */
export function isSettledByBranch({ code }: Diagnostic): boolean {
  return /^(?:record\/|issue\/order$)/.test(code);
}

/**
 * Gives agents without an `issue` the next numbers after `highest`, ordered by date, then slug. The other agents keep
 * their numbers.
 *
 * `highest` is the highest number ever given, including the numbers of agents that are not in the list, or 0. The result is
 * ordered by number. The input is not changed.
 */
export function number<Item extends Pick<Agent, 'slug' | 'date' | 'issue'>>(
  agents: readonly Item[],
  highest: number,
): (Item & { issue: number })[] {
  let next = agents.reduce((most, { issue }) => Math.max(most, issue ?? 0), highest) + 1;
  return [...agents]
    .sort((a, b) => compareText(a.date, b.date) || compareText(a.slug, b.slug))
    .map((agent) => (agent.issue == null ? { ...agent, issue: next++ } : agent) as Item & { issue: number })
    .sort((a, b) => a.issue - b.issue);
}

/**
 * Selects the agents of a build from all folders and numbers them.
 *
 * Agents that are due and have no number get the next ones after the highest number ever given. `catalog publish` will
 * write the same numbers.
 */
export function select(
  { folders, reserved, diagnostics }: Pick<Content, 'folders' | 'reserved' | 'diagnostics'>,
  selection: Selection,
) {
  const faulty = errorsBySlug(diagnostics);
  const skipped = folders.filter(
    ({ slug, schedule }) =>
      selection.skipInvalid && faulty.has(slug) && !selection.published?.has(slug) && isDue(schedule, selection.today),
  );
  const outside = new Set(
    [...skipped, ...folders.filter((folder) => !isSelected(folder, selection))].map(({ slug }) => slug),
  );
  const selected = folders.filter(({ slug }) => !outside.has(slug));
  const withdrawn = folders
    .filter(({ schedule }) => schedule.withdrawn && schedule.issue !== null)
    .flatMap(({ slug, schedule }) => [slug, ...schedule.formerSlugs]);

  const numbered = new Set(folders.filter(({ schedule }) => schedule.issue !== null).map(({ slug }) => slug));
  const concernsNumbers = ({ code, slug }: Diagnostic) =>
    /^(?:issue|date|record)\//.test(code) && numbered.has(slug ?? '');
  const errors = diagnostics.filter(
    (diagnostic) =>
      diagnostic.severity === 'error' &&
      !(selection.skipInvalid && isSettledByBranch(diagnostic)) &&
      (diagnostic.slug === null || !outside.has(diagnostic.slug) || concernsNumbers(diagnostic)),
  );
  const taken = [...folders.map(({ schedule }) => schedule), ...reserved].map(({ issue }) => issue ?? 0);
  const highest = taken.reduce((most, issue) => Math.max(most, issue), 0);
  const valid = selected.flatMap(({ agent }) => agent ?? []);
  const agents = number(valid, highest);
  const later = folders.filter(
    ({ slug, schedule }) =>
      outside.has(slug) && !schedule.draft && (schedule.date ?? '') > selection.today && !faulty.has(slug),
  );
  const [next] = later.flatMap(({ agent }) => agent ?? []).sort((a, b) => compareText(a.date, b.date));
  return {
    /** In the order of their numbers. */
    agents,
    /** The next agent that is scheduled for a later day, has no error and is not included; null if there is none. */
    next: next ?? null,
    /** The slugs of withdrawn agents, also former ones: no output shows them, but their numbers and dates stay taken. */
    withdrawn,
    /** Maps each former slug to the slug of the agent that had it. */
    moved: new Map(
      agents.flatMap(({ slug, formerSlugs }) => (formerSlugs ?? []).map((former) => [former, slug] as const)),
    ),
    /** Due agents without a number that were skipped because of their errors. */
    skipped: skipped.map(({ slug }) => slug),
    /** Errors that make the build fail. */
    errors,
    /** All other diagnostics: of future agents, drafts and skipped agents. */
    warnings: diagnostics.filter((diagnostic) => !errors.includes(diagnostic)),
  };
}

function isSelected({ schedule }: ParsedFolder, { today, future = false, drafts = false }: Selection): boolean {
  if (schedule.withdrawn) return false;
  if (schedule.draft && schedule.issue === null && !drafts) return false;
  return future || schedule.date === null || schedule.date <= today || (schedule.draft && drafts);
}

/** The schedule on a day. Days are YYYY-MM-DD, and lists are in order of date unless stated otherwise. */
export type Status = ReturnType<typeof status>;

interface Entry {
  date: string | null;
  slug: string;
  /** Null if errors make it unreadable. */
  title: string | null;
  errors: number;
}

type Coming = Entry & { daysLeft: number };

/** The state of an agent in the schedule. `skipped`: it is due, but its errors keep it from being published. */
type State = 'published' | 'due' | 'skipped' | 'coming' | 'draft' | 'withdrawn' | 'deleted';

/** How far the schedule is filled, as a sentence. */
export function queueText({ today, queueDays }: Pick<Status, 'today' | 'queueDays'>): string {
  if (queueDays === 0) return 'No agent is ready for tomorrow.';
  return `Agents are ready through ${addDays(today, queueDays)}.`;
}

/** Says that the queue is shorter than the settings demand. */
export function shortQueue({ queueWarningDays }: Pick<Settings, 'queueWarningDays'>): string {
  return `The queue is below queueWarningDays (${plural(queueWarningDays, 'day')}).`;
}

const daysShown = 14;

interface StatusOptions {
  today: string;
  settings: Pick<Settings, 'timezone' | 'queueWarningDays'>;
  problems?: readonly Diagnostic[];
}

/** The schedule of a catalog on the day `today`. `problems` are all its problems, including those that do not stop a publication. */
export function status(
  content: Pick<Content, 'folders' | 'reserved' | 'diagnostics'>,
  { today, settings, problems = content.diagnostics }: StatusOptions,
) {
  const { folders, reserved, diagnostics } = content;
  const { agents, skipped } = select(content, { today, skipInvalid: true });
  const numbers = new Map(agents.map(({ slug, issue }) => [slug, issue]));
  const errors = errorsBySlug(problems);
  const stopped = errorsBySlug(diagnostics);
  const entryOf = (slug: string, date: string | null, title: string | null): Entry => ({
    ...{ date, slug, title },
    errors: errors.get(slug)?.length ?? 0,
  });
  const rows = [...folders].sort(byDate).map((folder) => ({
    state: stateOf(folder, skipped, today),
    issue: folder.schedule.issue ?? numbers.get(folder.slug) ?? null,
    entry: entryOf(folder.slug, folder.schedule.date, folder.agent?.title ?? null),
  }));
  for (const { slug, issue, date, why } of reserved) {
    if (why === 'early') continue;
    rows.push({ state: why === 'deleted' ? 'deleted' : 'published', issue, entry: entryOf(slug, date, null) });
  }
  const of = (state: State) => rows.filter((row) => row.state === state);
  const numbered = (state: State) =>
    of(state)
      .map(({ issue, entry }) => ({ issue: issue ?? 0, ...entry }))
      .sort((a, b) => a.issue - b.issue);

  const coming = of('coming').map(({ entry }) => ({ ...entry, daysLeft: daysBetween(today, entry.date ?? today) }));
  const due = numbered('due');
  const sound = coming.filter(({ slug }) => !stopped.has(slug));
  const highest = [...rows, ...reserved].reduce((most, { issue }) => Math.max(most, issue ?? 0), 0);
  const filled = queueDays(sound, today);
  return {
    today,
    /** The time zone that decides which day is today. */
    timezone: settings.timezone,
    /** Agents that are due and have a number, in order of their numbers, including those that only the default branch has. */
    published: numbered('published'),
    /** Agents that are due but have no number yet, with the number that they will get. */
    due,
    /** Agents with a future date. */
    coming,
    /** Dates within 14 days from today that are free for a new agent. */
    freeDates: comingFreeDates(content, today),
    /** A draft occupies its date too. The date is null if it cannot be read. */
    drafts: of('draft').map(({ entry }) => entry),
    /** Withdrawn agents still occupy their numbers and dates. */
    withdrawn: of('withdrawn').map(({ issue, entry }) => ({ issue, ...entry })),
    /** Published agents whose folder was deleted, in order of their numbers. They still occupy their numbers and dates. */
    deleted: numbered('deleted'),
    /** All agents for which `catalog validate` reports errors, by slug; most are also in one of the lists above. */
    faulty: rows
      .filter(({ entry }) => entry.errors > 0)
      .map(({ state, entry: { slug, date, errors } }) => ({ slug, date, state, errors }))
      .sort((a, b) => compareText(a.slug, b.slug)),
    /** The first agent after today that no error keeps from being published, with its expected number. */
    next: nextOf(sound, folders, highest),
    /** How many days in a row, from tomorrow on, have such an agent. */
    queueDays: filled,
    /** Whether `queueDays` is less than `queueWarningDays` in the settings. */
    queueLow: filled < settings.queueWarningDays,
  };
}

function errorsBySlug(diagnostics: readonly Diagnostic[]) {
  return groupBy(diagnostics, ({ slug, severity }) => (severity === 'error' ? [slug] : []));
}

function stateOf(
  { slug, schedule: { date, issue, draft, withdrawn } }: ParsedFolder,
  skipped: readonly string[],
  today: string,
): State {
  if (withdrawn) return 'withdrawn';
  if (draft && issue === null) return 'draft';
  if (date !== null && date > today) return 'coming';
  if (issue !== null) return 'published';
  return skipped.includes(slug) ? 'skipped' : 'due';
}

function comingFreeDates(calendar: Calendar, today: string): string[] {
  const next = freeDates(calendar, today);
  const dates: string[] = [];
  for (let date = next(); date < addDays(today, daysShown); date = next()) dates.push(date);
  return dates;
}

function nextOf(sound: readonly Coming[], folders: readonly ParsedFolder[], highest: number) {
  const [first] = sound;
  if (first === undefined || first.date === null) return null;
  const { date, slug, title, daysLeft } = first;
  const own = folders.find((folder) => folder.slug === slug)?.schedule.issue;
  return { issue: own ?? highest + 1, date, slug, title, daysLeft };
}

function queueDays(sound: readonly Coming[], today: string): number {
  const days = new Set(sound.map(({ date }) => date));
  let count = 0;
  while (days.has(addDays(today, count + 1))) count += 1;
  return count;
}

function daysBetween(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000;
}

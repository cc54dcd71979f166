import { filesAt, orNull, readBlobs } from '../../lib/git.ts';
import { groupBy } from '../../lib/groups.ts';
import { type Diagnostic, diagnose } from '../../schema/diagnostics/diagnostic.ts';
import { type Evals, type GradedAnswer, isPassed, type Result } from '../../schema/evals.ts';
import { evalMessages } from '../../schema/messages/evals.ts';
import { numberMessages } from '../../schema/messages/numbers.ts';
import { findDefaultBranch, type NumberHistory, type PublishedState, type Reserved } from '../history.ts';
import { readEvals } from '../parse/evals.ts';
import type { Schedule } from '../parse/front-matter.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { pathOf } from '../read.ts';
import { byDate, freeDates, inFrontMatter, takenNumber } from './calendar.ts';

/** A published agent according to the default branch. */
type PublishedSchedule = Schedule & { slug: string; issue: number };

interface Claimed {
  owners: ReadonlyMap<string, PublishedSchedule>;
  published: readonly PublishedSchedule[];
  reserved: readonly Reserved[];
  lost: NumberHistory['lost'];
  state: PublishedState | null;
  today: string;
}

/** Checks the numbers that the default branch does not confirm. Folders with a refused number then count as having none. */
function checkClaims(folders: readonly ParsedFolder[], { owners, published, reserved, lost, state, today }: Claimed) {
  const diagnostics: Diagnostic[] = [];
  const refused = new Set<string>();
  const holders = new Map<number, Holder>();
  for (const holder of [...reserved, ...published]) holders.set(holder.issue, holder);
  for (const [slug, { issue, date }] of owners) holders.set(issue, { slug, date });
  let highest = Math.max(0, ...holders.keys());
  const counting = holders.size > 0;
  const confirmed = folders.map((folder) =>
    owners.has(folder.slug) ? folder : { schedule: { ...folder.schedule, issue: null } },
  );
  const free = freeDates({ folders: confirmed, reserved }, today);
  const claims = folders
    .filter(({ slug, schedule }) => schedule.issue !== null && !owners.has(slug))
    .sort((a, b) => (a.schedule.issue ?? 0) - (b.schedule.issue ?? 0) || byDate(a, b));
  for (const folder of claims) {
    const issue = folder.schedule.issue as number;
    const holder = holders.get(issue);
    const next = counting ? highest + 1 : null;
    const branch = state?.branch ?? null;
    const finding = refusal(folder, { today, holder, next, free, branch });
    if (finding !== null && !lost.some((number) => number.slug === folder.slug && number.issue === issue)) {
      refused.add(folder.slug);
      diagnostics.push(finding);
    } else if (counting) {
      holders.set(issue, { slug: folder.slug, date: folder.schedule.date });
      highest = Math.max(highest, issue);
    }
  }
  for (const { slug, issue, commit } of lost) {
    const folder = folders.find((candidate) => candidate.slug === slug);
    if (folder === undefined || owners.has(slug) || folder.schedule.issue !== null) continue;
    if (reserved.some((number) => number.slug === slug && number.issue === issue)) {
      diagnostics.push(lostLine(folder, issue, { commit }));
    }
  }
  return { refused, diagnostics };
}

type Holder = Pick<Reserved, 'slug' | 'date'>;

interface Claim {
  today: string;
  /** The agent that already has the number. */
  holder: Holder | undefined;
  /** The next number; null if no number was ever given. */
  next: number | null;
  /** Gives the free dates one by one. */
  free: () => string;
  /** The branch that has the numbers; null without a default branch. */
  branch: string | null;
}

/** Returns an error if a folder cannot have the number in its front matter, or null. */
function refusal(folder: ParsedFolder, { today, holder, next, free, branch }: Claim): Diagnostic | null {
  const { issue, date, draft } = folder.schedule;
  if (date !== null && date > today) {
    return inFrontMatter(folder, 'issue', 'issue/early', numberMessages.numberTooEarly(date));
  }
  if (next === null || holder?.slug === folder.slug) return null;
  if (holder !== undefined) return takenNumber(folder, { ...holder, branch }, free);
  if (draft) return inFrontMatter(folder, 'draft', 'issue/draft', numberMessages.numberOfDraft);
  if (issue === next) return null;
  return inFrontMatter(folder, 'issue', 'issue/skipped', numberMessages.numberSkipped(next, issue));
}

/** The error for a published agent whose `issue` line is missing. `record` is the branch that has the number, or the commit that removed it. */
function lostLine(folder: ParsedFolder, issue: number, record: { branch: string } | { commit: string }): Diagnostic {
  const { draft } = folder.schedule;
  const wording = numberMessages.numberLost(issue, record, draft);
  return inFrontMatter(folder, draft ? 'draft' : 'date', 'record/issue', wording);
}

/**
 * Compares the folders with the default branch. A published agent keeps its number, its date and its address. A new number must
 * be the next one after the highest, and is given on the agent's date.
 *
 * Without a default branch, only numbers of agents with a future date are refused. `today` is YYYY-MM-DD.
 */
export function settle(
  folders: readonly ParsedFolder[],
  state: PublishedState | null,
  lost: NumberHistory['lost'],
  today: string,
) {
  const { published, early } = publishedIn(state, today);
  const owners = new Map<string, PublishedSchedule>();
  const reserved = early;
  const diagnostics: Diagnostic[] = [];
  const missing: PublishedSchedule[] = [];
  const folderOf = finder(folders, state);
  for (const agent of published) {
    const folder = folderOf(agent);
    if (folder === undefined) missing.push(agent);
    else owners.set(folder.slug, agent);
  }
  for (const agent of missing) {
    const inherited = state?.inherited.has(agent.slug) === true;
    const renamed = inherited ? renamedFolder(agent, folders, owners) : undefined;
    if (renamed !== undefined) {
      owners.set(renamed.slug, agent);
      diagnostics.push(undeclaredRename(renamed, agent));
    } else {
      const { slug, issue, date } = agent;
      reserved.push({ slug, issue, date, why: inherited ? 'deleted' : 'elsewhere' });
      if (inherited) diagnostics.push(deletion(agent, state?.branch ?? ''));
    }
  }
  for (const folder of folders) {
    const agent = owners.get(folder.slug);
    if (agent !== undefined && state?.inherited.has(agent.slug)) diagnostics.push(...changes(folder, agent, state));
  }
  reserved.push(...stillLost(lost, folders, owners, reserved));
  const claims = checkClaims(folders, { owners, published, reserved, lost, state, today });
  diagnostics.push(...claims.diagnostics);
  return {
    /**
     * In the order of the input. Published agents have their recorded number and date. Numbers that are not yet due are
     * removed.
     */
    folders: folders.map((folder) => corrected(folder, owners.get(folder.slug), claims.refused)),
    reserved,
    /** One error for each difference from the default branch. A folder with such an error needs no other calendar errors. */
    diagnostics,
  };
}

/**
 * Returns the agents that are published according to the default branch, with one agent for each number, and the agents that
 * have a number before their date (`early`).
 */
function publishedIn(state: PublishedState | null, today: string) {
  const numbered = [...(state?.agents ?? [])].flatMap(([slug, schedule]) =>
    schedule.issue === null ? [] : [{ ...schedule, slug, issue: schedule.issue }],
  );
  const horizon = state !== null && state.day > today ? state.day : today;
  const keepers = [...groupBy(numbered, ({ issue }) => [issue]).values()].flatMap((agents) => {
    if (agents.length === 1) return agents;
    const first = state?.firstOf(agents.map(({ slug }) => slug));
    return agents.filter(({ slug }) => slug === first);
  });
  const isEarly = ({ date }: PublishedSchedule) => date !== null && date > horizon;
  return {
    published: keepers.filter((agent) => !isEarly(agent)),
    early: keepers.filter(isEarly).map(({ slug, issue }): Reserved => ({ slug, issue, date: null, why: 'early' })),
  };
}

/** Returns a function that finds the current folder of a published agent: by its slug, or by a former slug. */
function finder(folders: readonly ParsedFolder[], state: PublishedState | null) {
  const bySlug = new Map(folders.map((folder) => [folder.slug, folder]));
  const byLowerCase = new Map(folders.map((folder) => [folder.slug.toLowerCase(), folder]));
  const byFormer = new Map(folders.flatMap((folder) => folder.schedule.formerSlugs.map((slug) => [slug, folder])));
  return ({ slug, issue, formerSlugs }: PublishedSchedule) => {
    const same = bySlug.get(slug);
    if (same?.schedule.issue === issue) return same;
    const own = byFormer.get(slug) ?? same ?? byLowerCase.get(slug);
    if (own !== undefined || state?.inherited.has(slug)) return own;
    // The agent was renamed on the default branch after this branch was created.
    return formerSlugs.map((former) => bySlug.get(former)).find((folder) => folder !== undefined);
  };
}

/** Finds the folder that a published agent was renamed to without an entry in `formerSlugs`: it has the same number. */
function renamedFolder(
  { issue, date }: PublishedSchedule,
  folders: readonly ParsedFolder[],
  owners: ReadonlyMap<string, PublishedSchedule>,
): ParsedFolder | undefined {
  const candidates = folders.filter(({ slug, schedule }) => schedule.issue === issue && !owners.has(slug));
  return candidates.find(({ schedule }) => schedule.date === date) ?? candidates[0];
}

function undeclaredRename(folder: ParsedFolder, { slug, issue }: PublishedSchedule): Diagnostic {
  const { formerSlugs } = folder.schedule;
  const slugs = { before: slug, after: folder.slug, formerSlugs };
  return inFrontMatter(folder, 'issue', 'record/renamed', numberMessages.renamedWithoutRedirect(issue, slugs));
}

function deletion({ slug, issue, date }: PublishedSchedule, branch: string): Diagnostic {
  const wording = numberMessages.agentDeleted(issue, slug, date, branch);
  return diagnose({ code: 'record/deleted', file: pathOf(slug, ''), slug, ...wording });
}

/** Reports a number, a date and former slugs in a folder that differ from the published ones. */
function changes(folder: ParsedFolder, agent: PublishedSchedule, { branch }: PublishedState): Diagnostic[] {
  const { schedule } = folder;
  const text = folder.texts().get('agent.md');
  if (text === undefined) return [];
  const changed: Diagnostic[] = [];
  // An invalid value already has its own error.
  const unreadable = (key: string) => new RegExp(`^${key}:[ \\t]*[^\\s#]`, 'm').test(text);
  if (schedule.issue !== agent.issue && !(schedule.issue === null && unreadable('issue'))) {
    changed.push(
      schedule.issue === null
        ? lostLine(folder, agent.issue, { branch })
        : inFrontMatter(folder, 'issue', 'record/issue', numberMessages.numberChanged(agent.issue, branch)),
    );
  }
  if (schedule.date !== agent.date && agent.date !== null && !(schedule.date === null && unreadable('date'))) {
    changed.push(inFrontMatter(folder, 'date', 'record/date', numberMessages.dateChanged(agent.issue, agent.date)));
  }
  const kept = new Set([folder.slug, ...schedule.formerSlugs]);
  const dropped =
    schedule.withdrawn || folder.agent === null ? [] : agent.formerSlugs.filter((slug) => !kept.has(slug));
  return [...changed, ...dropped.map((slug) => undeclaredRename(folder, { ...agent, slug }))];
}

/** Returns the lost numbers that no folder and no reserved agent has. */
function stillLost(
  lost: NumberHistory['lost'],
  folders: readonly ParsedFolder[],
  owners: ReadonlyMap<string, PublishedSchedule>,
  reserved: readonly Reserved[],
): Reserved[] {
  const held = new Set([...owners.values(), ...reserved].map(({ issue }) => issue));
  const numbers = new Map(folders.map(({ slug, schedule }) => [slug, schedule.issue]));
  return lost
    .filter(({ slug, issue }) => !held.has(issue) && numbers.get(slug) !== issue)
    .map(({ slug, issue, date }) => ({ slug, issue, date, why: 'deleted' }));
}

/** Returns the folder with its recorded number and date, or without a refused number. */
function corrected(folder: ParsedFolder, owner: PublishedSchedule | undefined, refused: ReadonlySet<string>) {
  if (refused.has(folder.slug)) {
    const agent = folder.agent === null ? null : { ...folder.agent, issue: null };
    return { ...folder, schedule: { ...folder.schedule, issue: null }, agent };
  }
  if (owner === undefined) return folder;
  const { issue } = owner;
  const date = owner.date ?? folder.schedule.date;
  if (folder.schedule.issue === issue && folder.schedule.date === date) return folder;
  const agent = folder.agent === null || date === null ? null : { ...folder.agent, issue, date };
  return { ...folder, schedule: { ...folder.schedule, issue, date }, agent };
}

/**
 * Finds checks that the recorded answer of a model passes on the default branch, and its new answer fails. It compares with
 * the commit at which the checked-out branch left that branch, and asks git only about agents with an answer that fails.
 */
export function regressions(cwd: string, folders: readonly ParsedFolder[]): Diagnostic[] {
  const failing = folders.flatMap(({ slug, written }) => {
    const answers = written?.texts().evals?.answers.filter(({ results }) => !isPassed(results)) ?? [];
    return answers.length === 0 ? [] : [{ slug, answers }];
  });
  const branch = failing.length === 0 ? null : findDefaultBranch(cwd);
  if (branch === null || branch.base === null) return [];
  const paths = failing.map(({ slug }) => pathOf(slug, ''));
  const texts = textsAt(cwd, branch.base, paths);
  if (texts === null) return [];
  return failing.flatMap(({ slug, answers }) => {
    const before = evalsIn(texts, slug);
    return before === null ? [] : answers.flatMap((answer) => regressed(slug, answer, before, branch.name));
  });
}

/** Reads the files below some paths at a commit, by their paths, which are all relative to `cwd`. Null if git fails. */
function textsAt(cwd: string, commit: string, paths: readonly string[]): Map<string, string> | null {
  return orNull(() => {
    const files = filesAt(cwd, commit, paths);
    const blobs = files.map(({ blob }) => blob);
    const texts = readBlobs(cwd, blobs);
    return new Map(files.map(({ blob, path }) => [path, texts.get(blob) ?? '']));
  });
}

/** The recorded answers of an agent among the files of a commit. */
function evalsIn(texts: ReadonlyMap<string, string>, slug: string): Evals | null {
  const prefix = `${pathOf(slug, '')}/`;
  const own = [...texts].filter(([path]) => path.startsWith(prefix));
  const named = new Map(own.map(([path, text]) => [path.slice(prefix.length), text]));
  return readEvals({ names: [...named.keys()], texts: named, report: () => {}, reportText: () => {} });
}

function regressed(slug: string, answer: GradedAnswer, { answers }: Evals, branch: string): Diagnostic[] {
  const before = answers.find((other) => other.folder === answer.folder && other.case === answer.case);
  if (before === undefined) return [];
  const textOf = ({ answer, turns }: GradedAnswer, turn = 1) => [answer, ...turns][turn - 1];
  const checkOf = ({ kind, value, turn }: Result) => JSON.stringify([kind, value, turn]);
  const passed = before.results.filter(({ failure }) => failure === null).map(checkOf);
  return answer.results.flatMap((result) => {
    const { turn } = result;
    if (result.failure === null || textOf(before, turn) === textOf(answer, turn)) return [];
    if (!passed.includes(checkOf(result))) return [];
    const name = `${answer.case}${turn === undefined ? '' : `.turn-${turn}`}.txt`;
    const file = pathOf(slug, `evals/recordings/${answer.folder}/${name}`);
    const wording = evalMessages.answerRegressed(answer.recorded.model, branch, result.kind, result.failure);
    return diagnose({ code: 'editorial/regression', slug, file, ...wording });
  });
}

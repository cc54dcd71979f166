import { type Diagnostic, diagnose } from '../../diagnostics/diagnostic.ts';
import {
  agentDeleted,
  dateChanged,
  numberChanged,
  onBranch,
  renamedWithoutRedirect,
} from '../../diagnostics/messages/git-record.ts';
import { withFields } from '../../with-fields.ts';
import { pathOf } from '../parse/files.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import { checkClaims, lostLine, rescheduled, withoutNumber } from './claims.ts';
import { inFrontMatter } from './front-matter-finding.ts';
import type { LostNumber, PublicationRecord, RecordedAgent, Reserved } from './record.ts';

/** The folders, corrected according to git's record. */
export interface Settled {
  /**
   * In the order of the input. Published agents have their recorded number and date. Numbers that are not yet due are
   * removed.
   */
  folders: ParsedFolder[];
  reserved: Reserved[];
  /** One error for each difference from the record. A folder with such an error needs no other calendar errors. */
  diagnostics: Diagnostic[];
}

/**
 * Compares the folders with the record. A published agent keeps its number, its date and its address. A new number must
 * be the next one after the highest, and is given on the agent's date.
 *
 * Without a record, only numbers of agents with a future date are refused. `today` is YYYY-MM-DD.
 */
export function settle(
  folders: readonly ParsedFolder[],
  record: PublicationRecord | null,
  lost: readonly LostNumber[],
  today: string,
): Settled {
  const { published, early } = publishedIn(record, today);
  const owners = new Map<string, RecordedAgent>();
  const reserved: Reserved[] = early;
  const diagnostics: Diagnostic[] = [];
  const missing: RecordedAgent[] = [];
  const folderOf = finder(folders, record);
  for (const agent of published) {
    const folder = folderOf(agent);
    if (folder === undefined) missing.push(agent);
    else owners.set(folder.slug, agent);
  }
  for (const agent of missing) {
    const inherited = record?.inherited.has(agent.slug) === true;
    const renamed = inherited ? renamedFolder(agent, folders, owners) : undefined;
    if (renamed !== undefined) {
      owners.set(renamed.slug, agent);
      diagnostics.push(undeclaredRename(renamed, agent));
    } else {
      const { slug, issue, date } = agent;
      reserved.push({ slug, issue, date, why: inherited ? 'deleted' : 'elsewhere' });
      if (inherited) diagnostics.push(deletion(agent, record?.branch ?? ''));
    }
  }
  for (const folder of folders) {
    const agent = owners.get(folder.slug);
    if (agent !== undefined && record?.inherited.has(agent.slug)) diagnostics.push(...changes(folder, agent, record));
  }
  reserved.push(...stillLost(lost, folders, owners, reserved));
  const claims = checkClaims(folders, { owners, published, reserved, lost, record, today });
  diagnostics.push(...claims.diagnostics);
  return {
    folders: folders.map((folder) => corrected(folder, owners.get(folder.slug), claims.refused)),
    reserved,
    diagnostics,
  };
}

/**
 * Returns the agents that are published according to the record, with one agent for each number, and the agents that
 * have a number before their date (`early`).
 */
function publishedIn(
  record: PublicationRecord | null,
  today: string,
): { published: RecordedAgent[]; early: Reserved[] } {
  const numbered = [...(record?.agents ?? [])].flatMap(([slug, schedule]) =>
    schedule.issue === null ? [] : [{ ...schedule, slug, issue: schedule.issue }],
  );
  const horizon = record !== null && record.day > today ? record.day : today;
  const byIssue = new Map<number, RecordedAgent[]>();
  for (const agent of numbered) byIssue.set(agent.issue, [...(byIssue.get(agent.issue) ?? []), agent]);
  const keepers = [...byIssue.values()].flatMap((agents) => {
    if (agents.length === 1) return agents;
    const first = record?.firstOf(agents.map(({ slug }) => slug));
    return agents.filter(({ slug }) => slug === first);
  });
  const isEarly = ({ date }: RecordedAgent) => date !== null && date > horizon;
  return {
    published: keepers.filter((agent) => !isEarly(agent)),
    early: keepers.filter(isEarly).map(({ slug, issue }) => ({ slug, issue, date: null, why: 'early' })),
  };
}

/** Returns a function that finds the current folder of a published agent: by its slug, or by a former slug. */
function finder(
  folders: readonly ParsedFolder[],
  record: PublicationRecord | null,
): (agent: RecordedAgent) => ParsedFolder | undefined {
  const bySlug = new Map(folders.map((folder) => [folder.slug, folder]));
  const byLowerCase = new Map(folders.map((folder) => [folder.slug.toLowerCase(), folder]));
  const byFormer = new Map(folders.flatMap((folder) => folder.schedule.formerSlugs.map((slug) => [slug, folder])));
  return ({ slug, issue, formerSlugs }) => {
    const same = bySlug.get(slug);
    if (same?.schedule.issue === issue) return same;
    const found = byFormer.get(slug) ?? same ?? byLowerCase.get(slug);
    if (found !== undefined || record?.inherited.has(slug)) return found;
    // The agent was renamed on the default branch after this branch was created.
    return formerSlugs.map((former) => bySlug.get(former)).find((folder) => folder !== undefined);
  };
}

/** Finds the folder that a published agent was renamed to without an entry in `formerSlugs`: it has the same number. */
function renamedFolder(
  { issue, date }: RecordedAgent,
  folders: readonly ParsedFolder[],
  owners: ReadonlyMap<string, RecordedAgent>,
): ParsedFolder | undefined {
  const candidates = folders.filter(({ slug, schedule }) => schedule.issue === issue && !owners.has(slug));
  return candidates.find(({ schedule }) => schedule.date === date) ?? candidates[0];
}

function undeclaredRename(folder: ParsedFolder, { slug, issue }: RecordedAgent): Diagnostic {
  const { formerSlugs } = folder.schedule;
  return inFrontMatter(folder, 'issue', {
    code: 'record/renamed',
    ...renamedWithoutRedirect(issue, { before: slug, after: folder.slug, formerSlugs }),
  });
}

function deletion({ slug, issue, date }: RecordedAgent, branch: string): Diagnostic {
  return diagnose({
    code: 'record/deleted',
    file: pathOf(slug, ''),
    slug,
    ...agentDeleted(issue, slug, date, branch),
  });
}

/** Reports a number, a date and former slugs in a folder that differ from the published ones. */
function changes(folder: ParsedFolder, agent: RecordedAgent, { branch }: PublicationRecord): Diagnostic[] {
  const { schedule } = folder;
  const text = folder.texts.get('agent.md');
  if (text === undefined) return [];
  const found: Diagnostic[] = [];
  // An invalid value already has its own error.
  const unreadable = (key: string) => new RegExp(`^${key}:[ \\t]*[^\\s#]`, 'm').test(text);
  if (schedule.issue !== agent.issue && !(schedule.issue === null && unreadable('issue'))) {
    found.push(
      schedule.issue === null ? lostLine(folder, agent.issue, onBranch(branch)) : renumbered(folder, agent, branch),
    );
  }
  if (schedule.date !== agent.date && agent.date !== null && !(schedule.date === null && unreadable('date'))) {
    found.push(
      inFrontMatter(folder, 'date', {
        code: 'record/date',
        ...dateChanged(agent.issue, agent.date),
      }),
    );
  }
  const kept = new Set([folder.slug, ...schedule.formerSlugs]);
  const dropped =
    schedule.withdrawn || folder.agent === null ? [] : agent.formerSlugs.filter((slug) => !kept.has(slug));
  return [...found, ...dropped.map((slug) => undeclaredRename(folder, { ...agent, slug }))];
}

function renumbered(folder: ParsedFolder, { issue }: RecordedAgent, branch: string): Diagnostic {
  return inFrontMatter(folder, 'issue', { code: 'record/issue', ...numberChanged(issue, branch) });
}

/** Returns the lost numbers that no folder and no reserved agent has. */
function stillLost(
  lost: readonly LostNumber[],
  folders: readonly ParsedFolder[],
  owners: ReadonlyMap<string, RecordedAgent>,
  reserved: readonly Reserved[],
): Reserved[] {
  const held = new Set([...owners.values(), ...reserved].map(({ issue }) => issue));
  const restored = ({ slug, issue }: LostNumber) =>
    folders.some((folder) => folder.slug === slug && folder.schedule.issue === issue);
  return lost
    .filter((number) => !held.has(number.issue) && !restored(number))
    .map(({ slug, issue, date }) => ({ slug, issue, date, why: 'deleted' }));
}

/** Returns the folder with its recorded number and date, or without a refused number. */
function corrected(folder: ParsedFolder, owner: RecordedAgent | undefined, refused: ReadonlySet<string>): ParsedFolder {
  if (refused.has(folder.slug)) return withoutNumber(folder);
  if (owner === undefined) return folder;
  const { issue } = owner;
  const date = owner.date ?? folder.schedule.date;
  if (folder.schedule.issue === issue && folder.schedule.date === date) return folder;
  const agent = folder.agent === null || date === null ? null : withFields(folder.agent, { issue, date });
  return rescheduled(folder, { schedule: { ...folder.schedule, issue, date }, agent });
}

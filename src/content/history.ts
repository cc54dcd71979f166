import { addDays } from '../lib/calendar.ts';
import { sha256Of } from '../lib/files.ts';
import {
  allowing,
  blobId,
  type Commit,
  commitsIn,
  filesAt,
  firstLine,
  GitError,
  git,
  gitOrNull,
  head,
  isInRepository,
  isShallow,
  mergeBase,
  orNull,
  readBlobs,
} from '../lib/git.ts';
import { entry } from '../lib/groups.ts';
import { once } from '../lib/lazy.ts';
import { compareText, servedText } from '../lib/text.ts';
import type { Change } from '../schema/agent.ts';
import { type Schedule, scheduleIn } from './parse/front-matter.ts';
import type { ParsedFolder } from './parse/parse.ts';

/**
 * Reads from git when the agents in the folder `catalog` changed, with three processes for all agents: two for the changes,
 * one for the texts of prompts.
 *
 * The result depends only on the commit and the depth of the clone, since git's settings are overridden. A merge counts
 * as one change, at the time of the merge. The history is empty without git, outside a repository, and in a shallow
 * clone, whose oldest commit seems to have added every file.
 */
export function readHistory(catalog: string) {
  try {
    if (isShallow(catalog)) {
      return without('this clone is shallow (fetch the whole history with `git fetch --unshallow`)');
    }
    const numbered = commitsIn(catalog, ['--relative', ...numberLog]).flatMap(({ commit, lines }) =>
      lines.map((path) => `${commit} ${path.split('/')[1]}`),
    );
    const log = commitsIn(catalog, ['--relative', ...changeLog]);
    const blobs = log.flatMap(({ lines }) => lines.flatMap((line) => promptBlob.exec(line)?.[1] ?? []));
    const digests = new Map(
      [...readBlobs(catalog, blobs)].map(([blob, text]) => [blob, sha256Of(servedText(text))] as const),
    );
    return {
      /** The changes of each agent, newest first. */
      changes: [...changesBySlug(log, new Set(numbered), digests)],
      missing: null,
    };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return without(reasonOf(catalog, error));
  }
}

/** Reads every version of the prompts of some agents in the history, also those before a revert, newest first. */
export function promptTexts(catalog: string, slugs: readonly string[]): string[] {
  const files = slugs.map((slug) => `agents/${slug}/prompt.txt`);
  const blobs = commitsIn(catalog, ['--relative', '--raw', '--no-abbrev', '--', ...files]).flatMap(({ lines }) =>
    lines.flatMap((line) => promptBlob.exec(line)?.[1] ?? []),
  );
  return [...readBlobs(catalog, blobs).values()].map(servedText);
}

/** Lists every file of an agent that a commit changed, with its status and its numbers of changed lines. */
const changeLog = ['--raw', '--no-abbrev', '--numstat', '--', ':(glob)agents/*/*'];

/** Lists every agent.md in which a commit added or removed a line with a number. */
const numberLog = ['-G^issue: [0-9]+$', '--diff-filter=M', '--name-only', '--', ':(glob)agents/*/agent.md'];

/** Matches a line of `--raw`, `:<modes> <blobs> <status>\t<path>`, or of `--numstat`, `<added>\t<removed>\t<path>`. */
const listed = /^(?::.* ([A-Z])|(\d+|-)\t(\d+|-))\tagents\/([^/]+)\/([^/]+)$/;

/** Matches the line of `--raw` for a prompt that a commit left. */
const promptBlob = /^:\d+ \d+ \w+ (?!0+ )(\w+) [A-Z]\tagents\/([^/]+)\/prompt\.txt$/;

/**
 * Groups changes by slug. `numbered` contains `<commit> <slug>` for each commit that added a number, and `digests` the
 * digests of prompts by the ids of their bytes.
 */
function changesBySlug(log: readonly Commit[], numbered: ReadonlySet<string>, digests: ReadonlyMap<string, string>) {
  const changes = new Map<string, Change[]>();
  for (const { commit, time, lines } of log) {
    const ofCommit = new Map<string, Change>();
    const whole = new Set<string>();
    const prompts = new Map<string, string | null>();
    for (const line of lines) {
      const [, blob = '', prompted = ''] = promptBlob.exec(line) ?? [];
      if (blob !== '') prompts.set(prompted, digests.get(blob) ?? null);
      const [, status, added, removed, slug = '', file] = listed.exec(line) ?? [];
      if (file === 'agent.md' && (status === 'A' || status === 'D')) whole.add(slug);
      const isNumber = file === 'agent.md' && `${added} ${removed}` === '1 0' && numbered.has(`${commit} ${slug}`);
      if (slug === '' || status !== undefined || isNumber || `${added} ${removed}` === '0 0') continue;
      const change = entry(ofCommit, slug, () => ({ commit, time, whole: whole.has(slug), prompt: null }));
      if (file === 'prompt.txt') {
        const sha256 = prompts.get(slug) ?? null;
        change.prompt = { added: Number(added) || 0, removed: Number(removed) || 0, sha256 };
      }
    }
    for (const [slug, change] of ofCommit) entry(changes, slug, () => []).push(change);
  }
  return changes;
}

/** Says why git has no history. It refuses repositories of other users, such as one of root that the server opens. */
function reasonOf(cwd: string, { missing, message: said }: GitError): string {
  if (missing) return 'git is not installed';
  if (/does not have any commits/.test(said)) return 'nothing is committed yet';
  if (!isInRepository(cwd)) return 'this folder is not in a git repository';
  const command = allowing(said)?.replace('--global', '--system');
  return command === undefined
    ? firstLine(said)
    : `the repository belongs to another user (allow it with \`${command}\`)`;
}

function without(reason: string) {
  return {
    changes: [],
    /** A sentence for the user that says why there is no history. */
    missing: `The pages cannot show how prompts changed: ${reason}. Publication dates are used as modification dates.`,
  };
}

/** The branch that says which agents are published, and how the checked-out commit relates to it; null if there is none. */
type DefaultBranch = ReturnType<typeof findDefaultBranch>;

/**
 * Finds the default branch as of the last fetch: the one of `origin`, or else of another remote, or else the local `main`
 * or `master`, or else HEAD. Returns null without git, outside a repository, and before the first commit. Fetches
 * nothing.
 */
export function findDefaultBranch(cwd: string) {
  if (!isInRepository(cwd)) return null;
  const format = '%(refname)%09%(symref)%09%(objectname)%09%(committerdate:unix)%09%(HEAD)';
  const patterns = ['HEAD', 'main', 'master'].map((name) => `refs/remotes/*/${name}`);
  const listed = gitOrNull(cwd, ['for-each-ref', `--format=${format}`, ...patterns, ...localBranches]);
  if (listed === null) return null;
  const refs = listed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [ref = '', target = '', commit = '', seconds = '', mark = ''] = line.split('\t');
      return { ref, target, commit, seconds, isCheckedOut: mark === '*' };
    })
    .sort((a, b) => preference(a.ref) - preference(b.ref));
  const chosen = refs[0] ?? checkedOut(cwd);
  if (chosen === null) return null;
  const own = refs.find(({ isCheckedOut }) => isCheckedOut)?.commit ?? head(cwd);
  const base = own === null || own === chosen.commit ? own : mergeBase(cwd, own, chosen.commit);
  return {
    /** The short name: `origin/main`, or `main`. */
    name: (chosen.target || chosen.ref).replace(/^refs\/(?:remotes|heads)\//, ''),
    commit: chosen.commit,
    committed: new Date(Number(chosen.seconds) * 1000),
    /** The newest common commit of HEAD and the branch; null if there is none or the clone is too shallow to contain it. */
    base,
  };
}

const localBranches = ['refs/heads/main', 'refs/heads/master'];

/** Ranks a branch: the lowest number is the best candidate. */
function preference(ref: string): number {
  if (localBranches.includes(ref)) return 10 + localBranches.indexOf(ref);
  const [, , remote, name = ''] = ref.split('/');
  return (remote === 'origin' ? 0 : 5) + ['HEAD', 'main', 'master'].indexOf(name);
}

function checkedOut(cwd: string) {
  const [commit, seconds] =
    gitOrNull(cwd, ['log', '-1', '--no-show-signature', '--format=%H %ct', 'HEAD'])?.trim().split(' ') ?? [];
  if (commit === undefined || seconds === undefined) return null;
  const ref = gitOrNull(cwd, ['symbolic-ref', '--quiet', 'HEAD'])?.trim() ?? 'HEAD';
  return { ref, target: '', commit, seconds };
}

/** Returns the blob ids of every agents/<slug>/agent.md below `cwd` at a commit, by slug. Throws GitError. */
function agentBlobsAt(cwd: string, commit: string): Map<string, string> {
  return new Map(
    filesAt(cwd, commit, ['agents/']).flatMap(({ blob, path }) => {
      const [, slug] = /^agents\/([^/]+)\/agent\.md$/s.exec(path) ?? [];
      return slug === undefined ? [] : [[slug, blob] as const];
    }),
  );
}

/**
 * Finds earlier versions of each agent.md that a commit deleted, or replaced with one in which the line `key` differs, with
 * the schedules in them and that commit, newest first. It follows the first parents of `tips`, so it finds versions that were
 * on the branch, not those on branches that were merged later. Throws GitError.
 */
function replacedVersions(cwd: string, tips: readonly string[], key: 'issue' | 'date') {
  const changed = ['--relative', '--raw', '--no-abbrev', '--diff-filter=DM', `-G^${key}:`];
  const versions = commitsIn(cwd, [...changed, ...tips, '--', ':(glob)agents/*/agent.md']).flatMap(
    ({ commit, time, lines }) =>
      lines.flatMap((line) => {
        const [, blob = '', slug] = /^:\d+ \d+ (\w+) \w+ [DM]\tagents\/([^/]+)\/agent\.md$/.exec(line) ?? [];
        return slug === undefined ? [] : [{ slug, blob, commit, committed: new Date(time) }];
      }),
  );
  const blobs = versions.map(({ blob }) => blob);
  const texts = readBlobs(cwd, blobs);
  return versions.map(({ blob, ...version }) => ({ ...version, schedule: scheduleIn(texts.get(blob) ?? '') }));
}

/**
 * Returns which of some agents got an `issue` line first, according to the history of `tip`; null if that is unclear.
 */
function firstNumbered(cwd: string, tip: string, slugs: readonly string[]): string | null {
  const files = slugs.map((slug) => `agents/${slug}/agent.md`);
  const added = ['--relative', '--name-only', '--diff-filter=AM', '-G^issue:', tip, '--', ...files];
  const log = orNull(() => commitsIn(cwd, added));
  const [first, other] = log?.at(-1)?.lines.filter((line) => line !== '') ?? [];
  return first !== undefined && other === undefined ? (slugs[files.indexOf(first)] ?? null) : null;
}

/** A number and a date that belong to a published agent without a folder, so no other agent can have them. */
export interface Reserved {
  slug: string;
  issue: number;
  /** YYYY-MM-DD; null if the date is free. */
  date: string | null;
  /** `elsewhere`: only the default branch has the agent. `early`: it got its number before its date. */
  why: 'deleted' | 'elsewhere' | 'early';
}

/** The state of the catalog on the default branch in git. The working tree is a proposal to change it. */
export type PublishedState = NonNullable<ReturnType<typeof stateFrom>>;

/** A number that was published on the default branch, and that no agent there has now. */
interface LostNumber {
  slug: string;
  issue: number;
  date: string;
  /** The commit that removed it. */
  commit: string;
}

/** Numbers that were published earlier and then removed. */
export interface NumberHistory {
  lost: readonly LostNumber[];
  /** A sentence for the user that says why numbers may be missing here; null if none are. */
  incomplete: string | null;
}

/** Keeps what Git said. */
export interface GitMemory {
  /**
   * Returns the remembered result of `read` if git still has the same commits and branches, and otherwise calls `read`. The
   * result must be JSON. It is not remembered if `isComplete` is false, because git could not be read.
   */
  ofGit<Value>(name: string, read: () => Value, isComplete: (value: Value) => boolean): Value;
}

/**
 * Reads what Git records of the catalog in `cwd`: the published state, null where git has none to give, and a function that
 * reads the numbers that were lost, which takes longer.
 */
export function readRecord(cwd: string, folders: readonly ParsedFolder[], memory: GitMemory) {
  const branch = once(() => findDefaultBranch(cwd));
  const read = () => readState(cwd, branch(), folders);
  const state = stateFrom(
    cwd,
    memory.ofGit('record', read, (data) => data !== null),
  );
  const readLost = () => readLostNumbers(cwd, branch());
  return { state, history: () => memory.ofGit('numbers', readLost, ({ incomplete }) => incomplete === null) };
}

function stateFrom(cwd: string, data: ReturnType<typeof readState>) {
  if (data === null) return null;
  const { branch, commit, day } = data;
  const agents: ReadonlyMap<string, Schedule> = new Map(data.agents);
  const inherited: ReadonlySet<string> = new Set(data.inherited);
  return {
    /** The short name of the branch, such as `origin/main`. */
    branch,
    /** The latest local date, YYYY-MM-DD, in any time zone at the time of the last commit of the branch. */
    day,
    /** Every folder with an agent.md on that branch, by slug. */
    agents,
    /**
     * Slugs of agents that already had a number where this branch left the default branch. This branch is responsible for
     * its changes to them.
     */
    inherited,
    /** Returns which of some agents with the same number had it first. */
    firstOf: (slugs: readonly string[]) => firstNumbered(cwd, commit, slugs) ?? earliest(slugs, agents),
  };
}

/**
 * Reads the published state of the catalog in `cwd` from its default branch. The number of git processes does not depend on
 * the number of agents, and only files that differ from the working tree are read from git. Returns null without a default
 * branch.
 */
function readState(cwd: string, branch: DefaultBranch, folders: readonly ParsedFolder[]) {
  if (branch === null) return null;
  return orNull(() => {
    const { base, commit } = branch;
    const blobs = agentBlobsAt(cwd, commit);
    const before = base === null ? new Map<string, string>() : base === commit ? blobs : agentBlobsAt(cwd, base);
    const scheduleOf = schedulesOf(cwd, folders, [...blobs.values(), ...before.values()]);
    const day = latestDay(branch.committed);
    const schedules = [...blobs].map(([slug, blob]) => [slug, scheduleOf(blob)] as const);
    return {
      branch: branch.name,
      commit,
      day,
      agents: withPublishedDates(schedules, { cwd, commit, day }),
      inherited: [...before].flatMap(([slug, blob]) => (scheduleOf(blob).issue === null ? [] : [slug])),
    };
  });
}

/**
 * Returns the schedules of the agents on the branch, whose last day is `day`. If the date of an agent is not between those of its
 * neighbors by number, is in the future, or is not before those of agents without a number, somebody may have moved it.
 * An earlier commit then still has the date of publication, which counts: readers have seen the page, and another agent may
 * be published on the new date. Throws GitError.
 */
function withPublishedDates(
  agents: readonly (readonly [slug: string, Schedule])[],
  { cwd, commit, day }: { cwd: string; commit: string; day: string },
): typeof agents {
  const numbered = agents.filter(([, { issue }]) => issue !== null);
  numbered.sort(([, a], [, b]) => Number(a.issue) - Number(b.issue));
  const waiting = agents.filter(([, { issue, draft }]) => issue === null && !draft).map(([, { date }]) => date ?? '~');
  const [end = ''] = [addDays(day, 1), ...waiting].sort();
  const dates = ['', ...numbered.map(([, { date }]) => date ?? ''), end];
  const replaced = once(() => replacedVersions(cwd, [commit], 'date'));
  const checked = new Map<string, Schedule>();
  const indexes = [...numbered.keys()];
  for (const index of indexes) {
    const [before = '', date = '', after = ''] = dates.slice(index, index + 3);
    const [slug = '', schedule] = numbered[index] ?? [];
    const isInOrder = before < date && date < after && date <= day;
    if (schedule === undefined || checked.has(slug) || isInOrder) continue;
    const slugs = [slug, ...schedule.formerSlugs];
    const first = replaced().findLast(
      ({ slug, schedule: { issue, date }, committed }) =>
        slugs.includes(slug) && issue === schedule.issue && (date ?? '~') <= latestDay(committed),
    );
    checked.set(slug, { ...schedule, date: first?.schedule.date ?? schedule.date });
    dates[index + 1] = checked.get(slug)?.date ?? '';
    // The neighbors may have been moved together with this agent.
    indexes.push(index - 1, index + 1);
  }
  return agents.map(([slug, schedule]) => [slug, checked.get(slug) ?? schedule]);
}

/** Returns the schedule in each blob. Most blobs are files of the working tree, which are already parsed. */
function schedulesOf(
  cwd: string,
  folders: readonly ParsedFolder[],
  blobs: readonly string[],
): (blob: string) => Schedule {
  const [sample = ''] = blobs;
  const schedules = new Map<string, Schedule>();
  for (const { texts, schedule } of folders) {
    // The text that was parsed, and not the file on the disk, which may have changed since.
    const text = texts().get('agent.md');
    if (text !== undefined) schedules.set(blobId(Buffer.from(text), sample), schedule);
  }
  const changed = blobs.filter((blob) => !schedules.has(blob));
  for (const [blob, text] of readBlobs(cwd, changed)) schedules.set(blob, scheduleIn(text));
  return (blob) => schedules.get(blob) ?? scheduleIn('');
}

function earliest(slugs: readonly string[], agents: ReadonlyMap<string, Schedule>): string {
  const date = (slug: string) => agents.get(slug)?.date ?? '';
  const [first] = [...slugs].sort((a, b) => compareText(date(a), date(b)) || compareText(a, b));
  return first as string;
}

/** The date in the time zone that is furthest ahead of UTC. */
function latestDay(instant: Date): string {
  return new Date(instant.getTime() + 14 * 3_600_000).toISOString().slice(0, 10);
}

/**
 * Finds published numbers that the default branch no longer has, according to the history of that branch and of HEAD. A
 * number counts as published if the agent's date had come.
 */
function readLostNumbers(cwd: string, branch: DefaultBranch): NumberHistory {
  try {
    // Without a branch, nothing is committed yet, or Git fails here, too.
    if (branch === null && isInRepository(cwd)) git(cwd, ['rev-parse', '--git-dir']);
    if (branch === null) return { lost: [], incomplete: null };
    const tips = branch.base === branch.commit ? ['HEAD'] : [branch.commit, 'HEAD'];
    const lost = new Map<number, LostNumber>();
    for (const { slug, schedule, commit, committed } of replacedVersions(cwd, tips, 'issue')) {
      const { issue, date } = schedule;
      if (issue === null || date === null || date > latestDay(committed) || lost.has(issue)) continue;
      lost.set(issue, { slug, issue, date, commit });
    }
    const incomplete = isShallow(cwd)
      ? 'This clone is shallow, so numbers of agents that were deleted earlier are unknown. Fetch the whole history with git fetch --unshallow.'
      : null;
    return { lost: [...lost.values()], incomplete };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const reason = reasonOf(cwd, error);
    return { lost: [], incomplete: `Numbers of deleted agents are unknown: git cannot read the history (${reason}).` };
  }
}

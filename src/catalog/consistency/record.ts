import { createHash } from 'node:crypto';
import { compareText } from '../../compare.ts';
import {
  agentBlobsAt,
  findRecord,
  firstNumbered,
  isShallow,
  type RecordBranch,
  readBlobs,
  replacedVersions,
} from '../../git/record.ts';
import { GitError } from '../../git/run.ts';
import { type Schedule, scheduleIn } from '../parse/front-matter-schedule.ts';
import type { ParsedFolder } from '../parse/parse.ts';
import type { SourceFolder } from '../read.ts';

/** A number and a date that belong to a published agent without a folder, so no other agent can have them. */
export interface Reserved {
  slug: string;
  issue: number;
  /** YYYY-MM-DD; null if the date is free. */
  date: string | null;
  /** `elsewhere`: only the default branch has the agent. `early`: it got its number before its date. */
  why: 'deleted' | 'elsewhere' | 'early';
}

/** A published agent according to the record. */
export type RecordedAgent = Schedule & { slug: string; issue: number };

/** The state of the catalog on the default branch in git. The working tree is a proposal to change it. */
export interface PublicationRecord {
  /** The short name of the branch, such as `origin/main`. */
  branch: string;
  /** The latest local date, YYYY-MM-DD, in any time zone at the time of the last commit of the branch. */
  day: string;
  /** Every folder with an agent.md on that branch, by slug. */
  agents: ReadonlyMap<string, Schedule>;
  /**
   * Slugs of agents that already had a number where this branch left the default branch. This branch is responsible for
   * its changes to them.
   */
  inherited: ReadonlySet<string>;
  /** Returns which of some agents with the same number had it first. */
  firstOf(slugs: readonly string[]): string;
}

/** A number that was published on the default branch, and that no agent there has now. */
export interface LostNumber {
  slug: string;
  issue: number;
  date: string;
  /** The commit that removed it. */
  commit: string;
}

/** Numbers that were published earlier and then removed. */
export interface NumberHistory {
  lost: LostNumber[];
  /** A sentence for the user that says why numbers may be missing here; null if none are. */
  incomplete: string | null;
}

/** A record as JSON can hold it. */
export interface RecordData {
  branch: string;
  commit: string;
  day: string;
  agents: [slug: string, schedule: Schedule][];
  inherited: string[];
}

/** The record of the catalog in `cwd`; null where git has none to give. */
export function recordOf(cwd: string, data: RecordData | null): PublicationRecord | null {
  if (data === null) return null;
  const { branch, commit, day } = data;
  const agents = new Map(data.agents);
  return {
    branch,
    day,
    agents,
    inherited: new Set(data.inherited),
    firstOf: (slugs) => firstNumbered(cwd, commit, slugs) ?? earliest(slugs, agents),
  };
}

/**
 * Reads the record of the catalog in `cwd`. The number of git processes does not depend on the number of agents, and
 * only files that differ from the working tree are read from git. Returns null if git has no record.
 */
export function readRecord(
  cwd: string,
  sources: readonly SourceFolder[],
  folders: readonly ParsedFolder[],
): RecordData | null {
  const branch = findRecord(cwd);
  if (branch === null) return null;
  try {
    const blobs = agentBlobsAt(cwd, branch.commit);
    const before = baseBlobs(cwd, branch, blobs);
    const scheduleOf = schedulesOf(cwd, sources, folders, [...blobs.values(), ...before.values()]);
    const day = latestDay(branch.committed);
    return {
      branch: branch.name,
      commit: branch.commit,
      day,
      agents: [...blobs].map(([slug, blob]) => [
        slug,
        withPublishedDate(cwd, branch.commit, slug, scheduleOf(blob), day),
      ]),
      inherited: [...before].flatMap(([slug, blob]) => (scheduleOf(blob).issue === null ? [] : [slug])),
    };
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}

/**
 * Returns the schedule of an agent on the branch, with the date on which it was published. If a published agent was
 * moved to a future date, an earlier commit still has the date of publication. That date counts, because a page that
 * readers have seen must not disappear.
 */
function withPublishedDate(cwd: string, commit: string, slug: string, schedule: Schedule, day: string): Schedule {
  const { issue, date } = schedule;
  if (issue === null || date === null || date <= day) return schedule;
  const versions = replacedVersions(cwd, [commit], 'date', slug);
  const texts = readBlobs(
    cwd,
    versions.map(({ blob }) => blob),
  );
  for (const { blob, committed } of versions) {
    const earlier = scheduleIn(texts.get(blob) ?? '');
    if (earlier.issue === issue && earlier.date !== null && earlier.date <= latestDay(committed)) {
      return { ...schedule, date: earlier.date };
    }
  }
  return schedule;
}

function baseBlobs(cwd: string, { base, commit }: RecordBranch, blobs: Map<string, string>): Map<string, string> {
  if (base === null) return new Map();
  return base === commit ? blobs : agentBlobsAt(cwd, base);
}

/** Returns the schedule in each blob. Most blobs are files of the working tree, which are already parsed. */
function schedulesOf(
  cwd: string,
  sources: readonly SourceFolder[],
  folders: readonly ParsedFolder[],
  blobs: readonly string[],
): (blob: string) => Schedule {
  const [sample = ''] = blobs;
  const known = new Map<string, Schedule>();
  for (const [index, { files }] of sources.entries()) {
    const bytes = files.find(({ name }) => name === 'agent.md')?.bytes;
    if (bytes != null) known.set(blobId(bytes, sample), (folders[index] as ParsedFolder).schedule);
  }
  const changed = blobs.filter((blob) => !known.has(blob));
  for (const [blob, text] of readBlobs(cwd, changed)) known.set(blob, scheduleIn(text));
  return (blob) => known.get(blob) ?? scheduleIn('');
}

/**
 * Returns the id that git gives a file with these bytes. The length of `sample`, any id of the repository, shows which
 * hash algorithm the repository uses.
 */
function blobId(bytes: Buffer, sample: string): string {
  const hash = createHash(sample.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
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
export function readLostNumbers(cwd: string): NumberHistory {
  const branch = findRecord(cwd);
  if (branch === null) return { lost: [], incomplete: null };
  try {
    const tips = branch.base === branch.commit ? ['HEAD'] : [branch.commit, 'HEAD'];
    const versions = replacedVersions(cwd, tips, 'issue');
    const texts = readBlobs(
      cwd,
      versions.map(({ blob }) => blob),
    );
    const lost = new Map<number, LostNumber>();
    for (const { slug, blob, commit, committed } of versions) {
      const { issue, date } = scheduleIn(texts.get(blob) ?? '');
      if (issue === null || date === null || date > latestDay(committed) || lost.has(issue)) continue;
      lost.set(issue, { slug, issue, date, commit });
    }
    const incomplete = isShallow(cwd)
      ? 'This clone is shallow, so numbers of agents that were deleted earlier are unknown. Fetch the whole history with git fetch --unshallow.'
      : null;
    return { lost: [...lost.values()], incomplete };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const reason = error.message.split('\n')[0];
    return { lost: [], incomplete: `Numbers of deleted agents are unknown: git cannot read the history (${reason}).` };
  }
}

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
import { type ParsedFolder, type Schedule, scheduleIn } from '../parse/parse.ts';
import type { SourceFolder } from '../read.ts';

/** What the default branch in git says of the catalog. The working tree is a proposal to change it. */
export interface PublicationRecord {
  /** The branch as people write it, such as `origin/main`. */
  branch: string;
  /** The latest day, YYYY-MM-DD, that it can have been anywhere when the branch got its last commit. */
  day: string;
  /** Every folder with an agent.md on that branch, by slug. */
  agents: ReadonlyMap<string, Schedule>;
  /** Slugs that had a number already where the working tree left that branch: it answers for what it changed in them. */
  inherited: ReadonlySet<string>;
  /** Of agents that have one number on the branch, the one that had it first. */
  firstOf(slugs: readonly string[]): string;
}

/** A number that was published on the default branch and that nothing there has now. */
export interface LostNumber {
  slug: string;
  issue: number;
  date: string;
  /** The commit that removed it. */
  commit: string;
}

/** Numbers that earlier commits gave away. */
export interface NumberHistory {
  lost: LostNumber[];
  /** Why there may be more, in a sentence for the person at the terminal; null where there are not. */
  incomplete: string | null;
}

/**
 * Reads the record of the catalog in `cwd` with a handful of git processes, however many agents there are. Only files
 * that differ from those in the working tree are read from git. Null where git has none to give.
 */
export function readRecord(
  cwd: string,
  sources: readonly SourceFolder[],
  folders: readonly ParsedFolder[],
): PublicationRecord | null {
  const branch = findRecord(cwd);
  if (branch === null) return null;
  try {
    const blobs = agentBlobsAt(cwd, branch.commit);
    const before = baseBlobs(cwd, branch, blobs);
    const standing = standings(cwd, sources, folders, [...blobs.values(), ...before.values()]);
    const day = latestDay(branch.committed);
    const agents = new Map(
      [...blobs].map(([slug, blob]) => [slug, beforeMoved(cwd, branch.commit, slug, standing(blob), day)]),
    );
    return {
      branch: branch.name,
      day,
      agents,
      inherited: new Set([...before].flatMap(([slug, blob]) => (standing(blob).issue === null ? [] : [slug]))),
      firstOf: (slugs) => firstNumbered(cwd, branch.commit, slugs) ?? earliest(slugs, agents),
    };
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}

/**
 * The standing of an agent on the branch. One with a number and a date to come has the date on which it was published, if
 * an earlier commit has that: its date was moved, and a page that readers have seen must not disappear.
 */
function beforeMoved(cwd: string, commit: string, slug: string, standing: Schedule, day: string): Schedule {
  const { issue, date } = standing;
  if (issue === null || date === null || date <= day) return standing;
  const versions = replacedVersions(cwd, [commit], 'date', slug);
  const texts = readBlobs(
    cwd,
    versions.map(({ blob }) => blob),
  );
  for (const { blob, committed } of versions) {
    const earlier = scheduleIn(texts.get(blob) ?? '');
    if (earlier.issue === issue && earlier.date !== null && earlier.date <= latestDay(committed)) {
      return { ...standing, date: earlier.date };
    }
  }
  return standing;
}

function baseBlobs(cwd: string, { base, commit }: RecordBranch, blobs: Map<string, string>): Map<string, string> {
  if (base === null) return new Map();
  return base === commit ? blobs : agentBlobsAt(cwd, base);
}

/** What the blobs say, each parsed once; most are the files of the working tree, which are parsed already. */
function standings(
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

/** The id that git gives a file with these bytes, by the hash that `sample` was made with. */
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
 * Numbers that agents had on the default branch on their day or later and that the branch has lost since, by the
 * history of that branch and of HEAD.
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

import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { settingsFile } from '../catalog/settings.ts';
import { OperationError } from '../errors.ts';
import { findRecord } from '../git/record.ts';
import {
  commitFiles,
  commitsAhead,
  commitsBehind,
  fastForward,
  fetchUpstream,
  firstLine,
  head,
  mergeBase,
  openRepository,
  push,
  type Repository,
  takeBack,
  type Upstream,
  uncommitted,
} from '../git/repository.ts';
import { GitError } from '../git/run.ts';
import { gitFolders } from '../git/stale-locks.ts';
import { acquireLock } from '../journal/lock.ts';
import { parseOwner } from '../journal/lock-owner.ts';
import type { Settings } from '../schema/settings.ts';
import { commitMessage } from './commit-message.ts';
import { type Plan, planPublication } from './plan.ts';
import { type Checkout, clearAfterKill, ownCommits, refuseLocked, takeBackLines } from './recover.ts';
import { writeNumbers } from './write-numbers.ts';

export interface PublishOptions {
  /** The catalog's folder. */
  cwd: string;
  settings: Settings;
  /** YYYY-MM-DD. */
  today: string;
  /** Only says what would be written; git is not asked. */
  dryRun: boolean;
  /** Also commits the numbers. */
  commit: boolean;
  /** Also pushes that commit, on top of what the remote has gained meanwhile. */
  push: boolean;
  allowDirty: boolean;
  allowBehind: boolean;
}

/** What was published. */
export interface Publication extends Plan {
  /** The commit with the numbers; null where none was made. */
  commit: string | null;
  pushed: boolean;
}

/** How often a push is tried when the branch moves meanwhile. */
const rounds = 5;

/**
 * Writes the numbers of what is due into the front matter, and commits and pushes them where asked. What is written and
 * not committed, or committed and not pushed, is taken back when the next step fails: all of it happens, or nothing.
 * What a run left that was killed is finished or taken back first.
 *
 * Throws ContentError when a numbered agent is faulty, OperationError when git or the disk is in the way.
 */
export async function publish(options: PublishOptions): Promise<Publication> {
  const { cwd, settings, today, dryRun } = options;
  if (dryRun) return { ...planPublication(cwd, settings, today), commit: null, pushed: false };
  const checkout = openCheckout(options);
  if (checkout === null) return numberAndCommit(options, null);
  if (options.commit) refuseOtherBranch(checkout);
  return aloneIn(checkout, async (killed) => {
    if (killed !== null) await clearAfterKill(checkout, killed);
    refuseLocked(checkout);
    if (options.commit) takeBackLines(checkout, () => planPublication(cwd, settings, today).releases);
    return options.push ? publishAndPush(options, checkout) : numberAndCommit(options, checkout);
  });
}

/**
 * Runs `work` as the only publisher in the repository. It is called with the time at which an earlier run began that was
 * killed, or null.
 */
async function aloneIn<Result>({ folders }: Checkout, work: (killed: Date | null) => Promise<Result>): Promise<Result> {
  const file = join(folders[0] as string, 'catalog-publish');
  const found = await fs.readFile(`${file}.lock`, 'utf8').catch(() => null);
  const owner = found === null ? undefined : parseOwner(found);
  const lock = await acquireLock({
    file,
    disk: fs,
    now: () => new Date(),
    random: randomBytes,
    warn: () => {},
  }).catch((error) => {
    const who = owner === undefined ? '' : ` (process ${owner.pid} on ${owner.host}, since ${owner.since})`;
    throw new OperationError(
      error instanceof OperationError
        ? `Another catalog publish is at work in this repository${who}. Wait for it to end, and run the command again.`
        : `${file}.lock cannot be written (${(error as Error).message}).`,
      { cause: error },
    );
  });
  try {
    return await work(found === null ? null : new Date(owner?.since ?? 0));
  } finally {
    await lock.release();
  }
}

/** The repository of the catalog; null where there is none, which is in the way only once numbers are to be written. */
function openCheckout({ cwd, commit }: PublishOptions): Checkout | null {
  try {
    const repository = openRepository(cwd);
    return { cwd, repository, folders: gitFolders(cwd) };
  } catch (error) {
    if (commit || !(error instanceof OperationError)) throw error;
    return null;
  }
}

/**
 * Each round starts from what the remote has: a branch that moved meanwhile may hold the very numbers that were about to
 * be given, so they are worked out anew and never rebased.
 */
async function publishAndPush(options: PublishOptions, checkout: Checkout): Promise<Publication> {
  const { cwd } = options;
  const upstream = upstreamToPush(checkout.repository);
  refuseDirty(checkout.repository, options);
  for (let round = 1; ; round += 1) {
    const remoteBefore = takeUp(checkout, upstream);
    const before = head(cwd);
    const published = numberAndCommit({ ...options, commit: true }, checkout, { checked: true });
    // A run that was killed may have committed numbers and not pushed them.
    const unpushed = published.commit ?? (ownCommits(checkout, remoteBefore) === 'none' ? null : before);
    if (unpushed === null || before === null) return published;
    try {
      push(cwd, upstream);
      return { ...published, commit: unpushed, pushed: true };
    } catch (error) {
      takeBack(cwd, before);
      if (!(error instanceof GitError)) throw error;
      const moved = fetchUpstream(cwd, upstream) !== remoteBefore;
      if (!moved || round === rounds) {
        throw new OperationError(
          `${upstream.remote} did not take the commit with the numbers (git: ${firstLine(error.message)}). ${
            moved
              ? 'The branch moved each time; run the command again.'
              : "If the branch is protected, let this commit in as the program's docs/publishing.md says."
          } Nothing has changed.`,
        );
      }
      await pause(round * (200 + Math.random() * 300));
    }
  }
}

/** Brings the branch up to its upstream, and returns the upstream's commit; null where the remote has no such branch. */
function takeUp(checkout: Checkout, upstream: Upstream): string | null {
  const { cwd } = checkout;
  const remote = fetchUpstream(cwd, upstream);
  if (remote === null || commitsBehind(cwd, remote) === 0) return remote;
  if (commitsAhead(cwd, remote) > 0) {
    const base = mergeBase(cwd, 'HEAD', remote);
    if (base === null || ownCommits(checkout, remote) !== 'all') {
      throw new OperationError(
        `This branch and ${nameOf(upstream)} have both gained commits. Bring them together with git pull --rebase, and run the command again.`,
      );
    }
    // Numbers of a run that was killed before it could push them: they are given anew, on top of what the remote has.
    takeBack(cwd, base);
  }
  try {
    fastForward(cwd, remote);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new OperationError(
      `This branch cannot be brought up to ${nameOf(upstream)} (git: ${firstLine(error.message)}).`,
    );
  }
  return remote;
}

/** `checked`: the state of the working tree and of the branch is known to be right. */
function numberAndCommit(options: PublishOptions, checkout: Checkout | null, { checked = false } = {}): Publication {
  const { cwd, settings, today } = options;
  const plan = planPublication(cwd, settings, today);
  if (plan.releases.length === 0) return { ...plan, commit: null, pushed: false };
  const repository = checkout?.repository ?? openRepository(cwd);
  if (!checked) {
    refuseDirty(repository, options);
    refuseBehind(repository, options);
  }
  if (options.commit) refuseUncommittable(repository, options, plan);
  const { files, undo } = writeNumbers(cwd, plan.releases);
  if (!options.commit) return { ...plan, commit: null, pushed: false };
  try {
    return { ...plan, commit: commitFiles(cwd, files, commitMessage(plan.releases)), pushed: false };
  } catch (error) {
    undo();
    if (!(error instanceof GitError)) throw error;
    throw new OperationError(`git did not take the commit (${error.message.trim()}). Nothing has changed.`);
  }
}

/** The remote's branch that the numbers go to. */
function upstreamToPush({ branch, upstream }: Repository): Upstream {
  if (branch === null) throw new OperationError(detached);
  if (upstream === null) {
    throw new OperationError(
      `The branch ${branch} has no remote to push to. Add one with git remote add origin <address>, or leave out --push.`,
    );
  }
  return upstream;
}

/** Numbers count once the default branch has them: on any other, another agent could get the same number. */
function refuseOtherBranch({ cwd, repository: { branch, upstream } }: Checkout): void {
  const record = findRecord(cwd);
  if (branch === null || record === null || record.name === branch) return;
  if (upstream !== null && record.name === nameOf(upstream)) return;
  throw new OperationError(
    `The branch ${branch} is checked out, and numbers are recorded on ${record.name}. Merge the branch, and run the command on the default branch.`,
  );
}

const detached =
  'HEAD is detached: no branch would hold the numbers. Switch to one first, for example with git switch main.';

function refuseDirty({ root }: Repository, { cwd, allowDirty }: PublishOptions): void {
  if (allowDirty) return;
  const changes = uncommitted(cwd, ['agents', settingsFile]);
  if (changes.length === 0) return;
  const shown = changes.slice(0, 10).map((line) => `  ${line}`);
  if (changes.length > shown.length) shown.push(`  and ${changes.length - shown.length} more`);
  throw new OperationError(
    `The working tree ${root} has changes that are not committed:\n${shown.join('\n')}\nCommit or stash them, or publish beside them with --allow-dirty.`,
  );
}

function refuseBehind({ branch, upstream }: Repository, { cwd, allowBehind, commit }: PublishOptions): void {
  if (branch === null && (commit || !allowBehind)) {
    throw new OperationError(commit ? detached : `${detached} To write them here all the same, give --allow-behind.`);
  }
  if (allowBehind || upstream === null) return;
  const remote = refetch(cwd, upstream);
  const missing = remote === null ? 0 : commitsBehind(cwd, remote);
  if (missing > 0) {
    throw new OperationError(
      `This branch lacks ${missing === 1 ? 'a commit' : `${missing} commits`} of ${nameOf(upstream)}, which may hold numbers already. Bring it up to date with git pull, or publish all the same with --allow-behind.`,
    );
  }
}

function refetch(cwd: string, upstream: Upstream): string | null {
  try {
    return fetchUpstream(cwd, upstream);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new OperationError(`${error.message} Try again, or publish all the same with --allow-behind.`);
  }
}

/** A number must never reach others without its agent: every file of it has to be in git. */
function refuseUncommittable({ branch }: Repository, { cwd }: PublishOptions, { releases }: Plan): void {
  if (branch === null) throw new OperationError(detached);
  const loose = releases.filter(({ slug }) => {
    const folder = `agents/${slug}`;
    return uncommitted(cwd, [folder]).some((line) => line.startsWith('??'));
  });
  if (loose.length > 0) {
    throw new OperationError(
      `Files of ${loose.map(({ slug }) => `agents/${slug}`).join(', ')} are not in git, so a commit would publish a part of it. Add and commit them first.`,
    );
  }
}

function nameOf({ remote, branch }: Upstream): string {
  return `${remote}/${branch}`;
}

import { setTimeout as pause } from 'node:timers/promises';
import { OperationError } from '../errors.ts';
import {
  commitFiles,
  commitsAhead,
  commitsBehind,
  dropCommits,
  fastForward,
  fetchUpstream,
  firstLine,
  head,
  mergeBase,
  openRepository,
  push,
  type Upstream,
} from '../git/repository.ts';
import { GitError } from '../git/run.ts';
import { gitFolders } from '../git/stale-locks.ts';
import type { Settings } from '../schema/settings.ts';
import { commitMessage } from './commit-message.ts';
import { type Plan, planPublication } from './plan.ts';
import { asOnlyEditor, asOnlyPublisher } from './publish-lock.ts';
import { type Checkout, clearAfterKill, ownCommits, refuseLocked, removeUncommittedLines } from './recover.ts';
import {
  nameOf,
  refuseBehind,
  refuseDirty,
  refuseOtherBranch,
  refuseUncommittable,
  upstreamToPush,
} from './refusals.ts';
import { writeNumbers } from './write-numbers.ts';

export interface PublishOptions {
  /** The catalog's folder. */
  cwd: string;
  settings: Settings;
  /** YYYY-MM-DD. */
  today: string;
  /** Only plans; writes nothing and runs no git command that changes anything. */
  dryRun: boolean;
  /** Whether to commit the numbers. */
  commit: boolean;
  /** Whether to push that commit, on top of new commits of the remote. */
  push: boolean;
  allowDirty: boolean;
  allowBehind: boolean;
  /** Is called with a message for a person before waiting for another command. */
  say?: (message: string) => void;
}

/** What was published. */
export interface Publication extends Plan {
  /** The commit with the numbers; null if none was made. */
  commit: string | null;
  pushed: boolean;
}

/** How many times to try to push if the remote branch moves each time. */
const rounds = 5;

/**
 * Writes issue numbers into the front matter of the agents that are due, and commits and pushes them if asked to. If a
 * step fails, the steps before it are undone. An earlier run that was killed is finished or undone first.
 *
 * Throws ContentError if a numbered agent has an error, and OperationError if git fails or a file cannot be written.
 */
export async function publish(options: PublishOptions): Promise<Publication> {
  const { cwd, settings, today, dryRun, say } = options;
  if (dryRun) return { ...planPublication(cwd, settings, today), commit: null, pushed: false };
  const checkout = openCheckout(options);
  if (checkout === null) return asOnlyEditor(cwd, () => numberAndCommit(options, null), say);
  if (options.commit) refuseOtherBranch(checkout);
  return asOnlyPublisher(checkout, async (killed) => {
    if (killed !== null) await clearAfterKill(checkout, killed);
    refuseLocked(checkout);
    return asOnlyEditor(
      cwd,
      async () => {
        if (options.commit) {
          await removeUncommittedLines(checkout, () => planPublication(cwd, settings, today).releases);
        }
        return options.push ? publishAndPush(options, checkout) : numberAndCommit(options, checkout);
      },
      say,
    );
  });
}

/** The repository of the catalog; null if there is none, which is an error only if there are numbers to write. */
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
 * Each round starts from the current state of the remote. If the remote branch moved, its agents may have the same
 * numbers. The numbers are then assigned again, not rebased.
 */
async function publishAndPush(options: PublishOptions, checkout: Checkout): Promise<Publication> {
  const { cwd } = options;
  const upstream = upstreamToPush(checkout.repository);
  refuseDirty(checkout.repository, options);
  for (let round = 1; ; round += 1) {
    const remoteBefore = await updateToUpstream(checkout, upstream);
    const before = head(cwd);
    const published = await numberAndCommit({ ...options, commit: true }, checkout, { checked: true });
    // A run that was killed may have committed numbers without pushing them.
    const unpushed = published.commit ?? (ownCommits(checkout, remoteBefore) === 'none' ? null : before);
    if (unpushed === null || before === null) return published;
    try {
      await push(cwd, upstream);
      return { ...published, commit: unpushed, pushed: true };
    } catch (error) {
      await dropCommits(cwd, before);
      if (!(error instanceof GitError)) throw error;
      const moved = (await fetchUpstream(cwd, upstream)) !== remoteBefore;
      if (!moved || round === rounds) {
        throw new OperationError(
          `${upstream.remote} refused the commit with the numbers (git: ${firstLine(error.message)}). ${
            moved
              ? 'The branch moved each time. Run the command again.'
              : 'If the branch is protected, allow this commit as described in docs/publishing.md of the program.'
          } Nothing has changed.`,
        );
      }
      await pause(round * (200 + Math.random() * 300));
    }
  }
}

/**
 * Updates the branch to its upstream, and returns the commit of the upstream; null if the remote has no such branch.
 */
async function updateToUpstream(checkout: Checkout, upstream: Upstream): Promise<string | null> {
  const { cwd } = checkout;
  const remote = await fetchUpstream(cwd, upstream);
  if (remote === null || commitsBehind(cwd, remote) === 0) return remote;
  if (commitsAhead(cwd, remote) > 0) {
    const base = mergeBase(cwd, 'HEAD', remote);
    if (base === null || ownCommits(checkout, remote) !== 'all') {
      throw new OperationError(
        `This branch and ${nameOf(upstream)} have diverged. Run git pull --rebase, then run the command again.`,
      );
    }
    // A run that was killed committed numbers without pushing them: they are assigned again, on top of the remote.
    await dropCommits(cwd, base);
  }
  try {
    await fastForward(cwd, remote);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new OperationError(`Cannot update this branch to ${nameOf(upstream)} (git: ${firstLine(error.message)}).`);
  }
  return remote;
}

/**
 * Numbers the due agents, and commits if asked to. `checked` means that the working tree and the branch were already
 * checked.
 */
async function numberAndCommit(
  options: PublishOptions,
  checkout: Checkout | null,
  { checked = false } = {},
): Promise<Publication> {
  const { cwd, settings, today } = options;
  const plan = planPublication(cwd, settings, today);
  if (plan.releases.length === 0) return { ...plan, commit: null, pushed: false };
  const repository = checkout?.repository ?? openRepository(cwd);
  if (!checked) {
    refuseDirty(repository, options);
    await refuseBehind(repository, options);
  }
  if (options.commit) refuseUncommittable(repository, cwd, plan);
  const { files, undo } = writeNumbers(cwd, plan.releases);
  if (!options.commit) return { ...plan, commit: null, pushed: false };
  try {
    return { ...plan, commit: await commitFiles(cwd, files, commitMessage(plan.releases)), pushed: false };
  } catch (error) {
    undo();
    if (!(error instanceof GitError)) throw error;
    throw new OperationError(`git refused the commit (${error.message.trim()}). Nothing has changed.`);
  }
}

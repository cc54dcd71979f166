import { setTimeout as pause } from 'node:timers/promises';
import { findDefaultBranch } from '../content/history.ts';
import { loadSettings, settingsFile } from '../content/settings.ts';
import { OperationError, succeeds } from '../lib/errors.ts';
import { allowing, changeByGit, firstLine, GitError, git, gitOrNull, head, mergeBase } from '../lib/git.ts';
import type { Settings } from '../schema/settings.ts';
import { asOnlyEditor, Checkout, type Upstream } from './checkout.ts';
import { type Plan, planPublication } from './plan.ts';
import { writeNumbers } from './write-numbers.ts';

/** Opens the repository of a folder. Throws OperationError without git, and if the folder is not in a working tree. */
function openRepository(cwd: string): Checkout {
  try {
    return new Checkout(cwd);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (error.missing) throw new OperationError('Publishing needs git, but `git` is not on the PATH.');
    if (gitOrNull(cwd, ['rev-parse', '--is-bare-repository'])?.trim() === 'true') {
      throw new OperationError(
        `${cwd} is a bare repository: it has no files to write issue numbers into. Use a clone of it.`,
      );
    }
    const [reason, command] = [firstLine(error.message), allowing(error.message)];
    throw new OperationError(
      command !== null
        ? `Git does not use the repository, because it belongs to another user (git: ${reason}). Run the command as that user, or allow it with ${command}`
        : `Publishing needs a git working tree, and git cannot use one at ${cwd} (git: ${reason}). If the catalog has never been in a repository, run git init, and commit it.`,
    );
  }
}

/** Lists new files below the paths in `watched`, which are relative to `cwd`, in the format of git. */
function untracked(cwd: string, watched: readonly string[]): string[] {
  return statusLines(cwd, ['--untracked-files=all', '--', ...watched]).filter((line) => line.startsWith('??'));
}

function statusLines(cwd: string, args: readonly string[]): string[] {
  return git(cwd, ['status', '--porcelain', ...args])
    .split('\n')
    .filter((line) => line !== '');
}

/**
 * Fetches the upstream branch and returns its commit; null if the remote does not have the branch yet.
 *
 * Throws OperationError if the remote does not answer.
 */
async function fetchUpstream(cwd: string, { remote, branch, ref }: Upstream, advice = ''): Promise<string | null> {
  try {
    await changeByGit(cwd, ['fetch', '--quiet', '--no-tags', remote, `+refs/heads/${branch}:${ref}`]);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (/couldn't find remote ref/i.test(error.message)) return null;
    throw new OperationError(
      `The remote ${remote} did not answer, so this branch may be behind it (git: ${firstLine(error.message)}).${advice}`,
    );
  }
  return git(cwd, ['rev-parse', ref]).trim();
}

/** How many commits are in a range such as `HEAD..main`. */
function commitsIn(cwd: string, range: string): number {
  return Number(git(cwd, ['rev-list', '--count', range]));
}

/** Commits files and nothing else, and returns the commit. Paths are from `cwd`. Throws GitError. */
async function commitFiles({ cwd, allowDirty }: PublishOptions, files: readonly string[], message: string) {
  await changeByGit(cwd, ['commit', '--quiet', '--only', '-m', message, '--', ...files]);
  // What a hook added is in the commit, but not in the index. The commit counts in any case.
  await changeByGit(cwd, ['reset', '--quiet', ...(allowDirty ? ['--', ...files] : [])]).catch(() => {});
  return git(cwd, ['rev-parse', 'HEAD']).trim();
}

/** Removes the commits after `commit` and their changes. Uncommitted changes stay. */
async function dropCommits(cwd: string, commit: string): Promise<void> {
  await changeByGit(cwd, ['reset', '--quiet', '--keep', commit]);
}

/** The branch of the remote to push to. Throws OperationError if there is none. */
function upstreamToPush({ branch, upstream }: Checkout): Upstream {
  if (branch === null) throw detached();
  if (upstream === null) {
    throw new OperationError(
      `The branch ${branch} has no remote to push to. Add one with git remote add origin <address>, or run the command without --push.`,
    );
  }
  return upstream;
}

/** Only the default branch gets numbers: on another branch, another agent could get the same number. */
function refuseOtherBranch({ cwd, branch, upstream }: Checkout): void {
  const main = findDefaultBranch(cwd);
  if (branch === null || main === null || main.name === branch) return;
  // In the clone of a fork, `origin` is the fork, and `upstream` the repository that it was made from.
  if (upstream !== null && [main.name, main.name.replace(/^origin\//, 'upstream/')].includes(upstream.name)) return;
  throw new OperationError(
    `Issue numbers are recorded on ${main.name}, but ${branch} is checked out. Merge ${branch} first, then run the command on the default branch.`,
  );
}

function detached(alternative = ''): OperationError {
  return new OperationError(
    `HEAD is detached, so the issue numbers would be on no branch. Switch to a branch first, for example with git switch main.${alternative}`,
  );
}

function refuseDirty({ root }: Checkout, { cwd, allowDirty }: { cwd: string; allowDirty: boolean }): void {
  if (allowDirty) return;
  const changes = [...statusLines(cwd, ['--untracked-files=no']), ...untracked(cwd, ['agents', settingsFile])];
  if (changes.length === 0) return;
  const shown = changes.slice(0, 10).map((line) => `  ${line}`);
  if (changes.length > shown.length) shown.push(`  and ${changes.length - shown.length} more`);
  throw new OperationError(
    `The working tree ${root} has uncommitted changes:\n${shown.join('\n')}\nCommit or stash them (new files with git stash --include-untracked), or add --allow-dirty.`,
  );
}

async function refuseBehind({ branch, upstream }: Checkout, { cwd, allowBehind, commit }: PublishOptions) {
  if (branch === null && (commit || !allowBehind)) {
    throw detached(commit ? '' : ' To write them anyway, add --allow-behind.');
  }
  if (allowBehind || upstream === null) return;
  const remote = await fetchUpstream(cwd, upstream, ' Try again, or add --allow-behind.');
  const missing = remote === null ? 0 : commitsIn(cwd, `HEAD..${remote}`);
  if (missing > 0) {
    const rebase = commitsIn(cwd, `${remote}..HEAD`) > 0 ? '--rebase ' : '';
    throw new OperationError(
      `This branch lacks ${missing === 1 ? 'a commit' : `${missing} commits`} of ${upstream.name}, which may contain issue numbers. Update it with git pull ${rebase}${upstream.remote} ${upstream.branch}, or add --allow-behind.`,
    );
  }
}

/** Refuses agents with files whose changes git does not track, because the commit would publish only a part of them. */
function refuseUncommittable({ branch }: Checkout, { cwd, allowDirty }: PublishOptions, { releases }: Plan): void {
  if (branch === null) throw detached();
  // A file with another letter, such as S (skip-worktree), keeps its changes out of commits.
  const listed = git(cwd, ['ls-files', '-v', '-z', '--', 'agents']).split('\0');
  const tracked = new Set(listed.map((entry) => entry.replace(/^h /i, '')));
  // Without `allowDirty`, refuseDirty has found no such file, unless git ignores it.
  const loose = releases.filter(
    ({ slug }) =>
      !tracked.has(`agents/${slug}/agent.md`) || (allowDirty && untracked(cwd, [`agents/${slug}`]).length > 0),
  );
  if (loose.length > 0) {
    throw new OperationError(
      `Files of ${loose.map(({ slug }) => `agents/${slug}`).join(', ')} are not in git, or git skips their changes, so the commit would publish only a part of them. Add and commit them first, or run git update-index --no-skip-worktree on them.`,
    );
  }
}

interface PublishOptions {
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

/** The result of publishing. */
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
  const work = async () => {
    if (options.commit) {
      await checkout.removeUncommittedLines(() => planPublication(cwd, settings, today).releases);
    }
    return options.push ? publishAndPush(options, checkout) : numberAndCommit(options, checkout);
  };
  return checkout.alone(() => asOnlyEditor(cwd, work, say, checkout.folders[0]));
}

/** The repository of the catalog; null if there is none, which is an error only if there are numbers to write. */
function openCheckout({ cwd, commit }: PublishOptions): Checkout | null {
  try {
    return openRepository(cwd);
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
  const upstream = upstreamToPush(checkout);
  refuseDirty(checkout, options);
  for (let round = 1; ; round += 1) {
    const { remote: remoteBefore, head: before } = await updateToUpstream(checkout, upstream);
    // Those of the branch before it was updated may lack what new agents use.
    const settings = loadSettings(cwd, {}, {});
    const published = await numberAndCommit({ ...options, settings, commit: true }, checkout, { checked: true });
    // A run that was killed may have committed numbers without pushing them.
    const hasOwn = () => before !== remoteBefore && checkout.ownCommits(remoteBefore) !== 'none';
    const unpushed = published.commit ?? (hasOwn() ? before : null);
    if (unpushed === null || before === null) return published;
    try {
      // Never by force.
      await changeByGit(cwd, ['push', '--quiet', upstream.remote, `HEAD:refs/heads/${upstream.branch}`]);
      return { ...published, commit: unpushed, pushed: true };
    } catch (error) {
      await dropCommits(cwd, before);
      if (!(error instanceof GitError)) throw error;
      const moved = (await fetchUpstream(cwd, upstream)) !== remoteBefore;
      if (!moved || round === rounds) {
        const advice = moved
          ? 'The branch moved each time. Run the command again.'
          : 'If the branch is protected, allow this commit as described in docs/publishing.md of the program.';
        throw new OperationError(
          `${upstream.remote} refused the commit with the numbers (git: ${error.message}). ${advice} Nothing has changed.`,
        );
      }
      await pause(round * (200 + Math.random() * 300));
    }
  }
}

/**
 * Updates the branch to its upstream. Returns the commit of the upstream, null if the remote has no such branch, and the
 * commit that is checked out now, null before the first one.
 */
async function updateToUpstream(
  checkout: Checkout,
  upstream: Upstream,
): Promise<{ remote: string | null; head: string | null }> {
  const { cwd } = checkout;
  const remote = await fetchUpstream(cwd, upstream);
  const own = head(cwd);
  if (remote === null || remote === own || commitsIn(cwd, `HEAD..${remote}`) === 0) return { remote, head: own };
  if (commitsIn(cwd, `${remote}..HEAD`) > 0) {
    const base = mergeBase(cwd, 'HEAD', remote);
    if (base === null || checkout.ownCommits(remote) !== 'all') {
      throw new OperationError(
        `This branch and ${upstream.name} have diverged. Run git pull --rebase ${upstream.remote} ${upstream.branch}, then run the command again.`,
      );
    }
    // A run that was killed committed numbers without pushing them: they are assigned again, on top of the remote.
    await dropCommits(cwd, base);
  }
  try {
    await checkout.fastForward(remote);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new OperationError(`Cannot update this branch to ${upstream.name} (git: ${firstLine(error.message)}).`);
  }
  return { remote, head: remote };
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
  const repository = checkout ?? openRepository(cwd);
  if (!checked) {
    refuseDirty(repository, options);
    await refuseBehind(repository, options);
  }
  if (options.commit) refuseUncommittable(repository, options, plan);
  const { files, message, undo } = writeNumbers(cwd, plan.releases);
  if (!options.commit) return { ...plan, commit: null, pushed: false };
  try {
    return { ...plan, commit: await commitFiles(options, files, message), pushed: false };
  } catch (error) {
    const outcome = succeeds(undo) ? 'Nothing has changed.' : 'The next run removes the numbers from the files.';
    if (!(error instanceof GitError)) throw error;
    throw new OperationError(`git refused the commit (${error.message.trim()}). ${outcome}`);
  }
}

import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OperationError } from '../lib/errors.ts';
import { changeByGit, firstLine, GitError, git, gitBytes, gitOrNull } from '../lib/git.ts';

/** A working tree, and what `catalog publish` needs to know about it. */
export interface Repository {
  /** The top folder of the working tree. */
  root: string;
  /** The branch that is checked out; null if HEAD is detached. */
  branch: string | null;
  /** The remote branch that this branch is pushed to; null if there is none. */
  upstream: Upstream | null;
}

/** A branch of a remote. */
export interface Upstream {
  remote: string;
  branch: string;
}

/** Returns the ref that git stores a fetched remote branch under. */
export function trackingName({ remote, branch }: Upstream): string {
  return `refs/remotes/${remote}/${branch}`;
}

/** Opens the repository of a folder. Throws OperationError without git, and if the folder is not in a working tree. */
export function openRepository(cwd: string): Repository {
  let root: string;
  try {
    root = resolve(git(cwd, ['rev-parse', '--show-toplevel']).trim());
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (error.missing) throw new OperationError('Publishing needs git, but `git` is not on the PATH.');
    if (gitOrNull(cwd, ['rev-parse', '--is-bare-repository'])?.trim() === 'true') {
      throw new OperationError(
        `${cwd} is a bare repository: it has no files to write issue numbers into. Use a clone of it.`,
      );
    }
    throw new OperationError(
      `Publishing needs a git working tree, but ${cwd} is not in one (git: ${firstLine(error.message)}). Run git init, and commit the catalog.`,
    );
  }
  const branch = gitOrNull(cwd, ['symbolic-ref', '--quiet', '--short', 'HEAD'])?.trim() ?? null;
  return { root, branch, upstream: branch === null ? null : upstreamOf(cwd, branch) };
}

/**
 * Lists uncommitted changes in the format of git: those to tracked files, and new files below the paths in `watched`,
 * which are relative to `cwd`.
 */
export function uncommitted(cwd: string, watched: readonly string[]): string[] {
  return [...statusLines(cwd, ['--untracked-files=no']), ...untracked(cwd, watched)];
}

/** Lists new files below the paths in `watched`, which are relative to `cwd`, in the format of git. */
export function untracked(cwd: string, watched: readonly string[]): string[] {
  return statusLines(cwd, ['--untracked-files=all', '--', ...watched]).filter((line) => line.startsWith('??'));
}

function statusLines(cwd: string, args: readonly string[]): string[] {
  return git(cwd, ['status', '--porcelain', ...args])
    .split('\n')
    .filter((line) => line !== '');
}

/**
 * Lists the paths, relative to the top folder, that differ from HEAD in the working tree or the index, including new
 * files.
 */
export function differing(root: string): string[] {
  const entries = git(root, ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all']).split('\0');
  return entries.filter((entry) => entry !== '').map((entry) => entry.slice(3));
}

/**
 * Returns the bytes of a file at a commit; null if the commit does not have it. `path` is relative to the top folder.
 */
export function fileAt(cwd: string, commit: string, path: string): Buffer | null {
  try {
    return gitBytes(cwd, ['cat-file', 'blob', `${commit}:${path}`]);
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}

/** Restores a file from HEAD, in the working tree and the index. Removes it if HEAD does not have it. */
export async function restoreFile(root: string, path: string): Promise<void> {
  if (fileAt(root, 'HEAD', path) !== null) await changeByGit(root, ['checkout', '--quiet', 'HEAD', '--', path]);
  else {
    await changeByGit(root, ['rm', '--quiet', '--cached', '--ignore-unmatch', '--', path]);
    rmSync(join(root, path), { force: true });
  }
}

/**
 * Lists the commits of HEAD that `other` does not have, newest first, with their subjects. If `other` is null, lists
 * only the last commit.
 */
export function commitsSince(cwd: string, other: string | null): { commit: string; subject: string }[] {
  const range = other === null ? ['-1', 'HEAD'] : [`${other}..HEAD`];
  const lines = git(cwd, ['log', '--format=%H %s', ...range]).split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => ({ commit: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }));
}

/**
 * Lists the paths, relative to the top folder, that a commit changed compared to its first parent: all of its files if
 * the repository does not have the parent.
 */
export function changedBy(root: string, commit: string): string[] {
  const settings = ['-c', 'log.showRoot=true', '-c', 'log.showSignature=false'];
  const options = ['-1', '--first-parent', '-m', '-z', '--format=', '--name-only', '--no-renames'];
  return git(root, [...settings, 'log', ...options, commit])
    .split('\0')
    .filter((path) => path !== '');
}

/**
 * Fetches the upstream branch and returns its commit; null if the remote does not have the branch yet.
 *
 * Throws OperationError if the remote does not answer.
 */
export async function fetchUpstream(cwd: string, upstream: Upstream): Promise<string | null> {
  const { remote, branch } = upstream;
  const tracking = trackingName(upstream);
  try {
    await changeByGit(cwd, ['fetch', '--quiet', '--no-tags', remote, `+refs/heads/${branch}:${tracking}`]);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (/couldn't find remote ref/i.test(error.message)) return null;
    throw new OperationError(
      `The remote ${remote} did not answer, so this branch may be behind it (git: ${firstLine(error.message)}).`,
    );
  }
  return git(cwd, ['rev-parse', tracking]).trim();
}

/** How many commits `other` has that HEAD does not. */
export function commitsBehind(cwd: string, other: string): number {
  return Number(git(cwd, ['rev-list', '--count', `HEAD..${other}`]));
}

/** How many commits HEAD has that `other` does not. */
export function commitsAhead(cwd: string, other: string): number {
  return Number(git(cwd, ['rev-list', '--count', `${other}..HEAD`]));
}

/** Fast-forwards the branch to the commit `other`. Throws GitError if the branch has other commits. */
export async function fastForward(cwd: string, other: string): Promise<void> {
  await changeByGit(cwd, ['merge', '--quiet', '--ff-only', other]);
}

/** Commits files and nothing else, and returns the commit. Paths are from `cwd`. Throws GitError. */
export async function commitFiles(cwd: string, files: readonly string[], message: string): Promise<string> {
  await changeByGit(cwd, ['commit', '--quiet', '--only', '-m', message, '--', ...files]);
  return git(cwd, ['rev-parse', 'HEAD']).trim();
}

/** Removes the commits after `commit` and their changes. Uncommitted changes stay. */
export async function dropCommits(cwd: string, commit: string): Promise<void> {
  await changeByGit(cwd, ['reset', '--quiet', '--keep', commit]);
}

/** Pushes HEAD to a remote branch, never by force. Throws GitError if the remote refuses. */
export async function push(cwd: string, { remote, branch }: Upstream): Promise<void> {
  await changeByGit(cwd, ['push', '--quiet', remote, `HEAD:refs/heads/${branch}`]);
}

/** Returns the configured upstream of the branch or, by default, the branch with the same name on `origin`. */
function upstreamOf(cwd: string, branch: string): Upstream | null {
  const entries = gitOrNull(cwd, ['config', '--null', '--get-regexp', '^branch\\.'])?.split('\0') ?? [];
  const settings = new Map(entries.map((entry) => entry.split(/\n(.*)/s, 2) as [string, string]));
  const setting = (key: string) => settings.get(`branch.${branch}.${key}`);
  const remote = setting('remote');
  const merge = setting('merge')?.replace(/^refs\/heads\//, '');
  if (remote !== undefined && remote !== '.' && merge !== undefined) return { remote, branch: merge };
  const remotes = gitOrNull(cwd, ['remote'])?.split('\n') ?? [];
  return remotes.includes('origin') ? { remote: 'origin', branch } : null;
}

import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OperationError } from '../errors.ts';
import { GitError, git, gitBytes, gitOrNull } from './run.ts';

/** A working tree with what `catalog publish` has to know of it. */
export interface Repository {
  /** The top folder of the working tree. */
  root: string;
  /** The branch that is checked out; null where HEAD is detached. */
  branch: string | null;
  /** Where that branch goes: a remote and the branch's name there. Null where it goes nowhere. */
  upstream: Upstream | null;
}

/** A branch of a remote. */
export interface Upstream {
  remote: string;
  branch: string;
}

/** What git calls a branch of a remote once it is fetched. */
export function trackingName({ remote, branch }: Upstream): string {
  return `refs/remotes/${remote}/${branch}`;
}

/** Opens the repository of a folder. Throws OperationError where there is none with a working tree, or no git. */
export function openRepository(cwd: string): Repository {
  let root: string;
  try {
    if (git(cwd, ['rev-parse', '--is-bare-repository']).trim() === 'true') {
      throw new OperationError(
        `${cwd} is a bare repository: it has no files to write numbers into. Use a clone of it.`,
      );
    }
    root = resolve(git(cwd, ['rev-parse', '--show-toplevel']).trim());
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (error.missing) throw new OperationError('Publishing needs git, and there is no program `git` on the PATH.');
    throw new OperationError(
      `Numbers are written in a git working tree, and ${cwd} is none (git: ${firstLine(error.message)}). Make it one with git init, and commit the catalog.`,
    );
  }
  const branch = gitOrNull(cwd, ['symbolic-ref', '--quiet', '--short', 'HEAD'])?.trim() ?? null;
  return { root, branch, upstream: branch === null ? null : upstreamOf(cwd, branch) };
}

/** What is configured for the branch, else the branch of the same name at `origin`. */
function upstreamOf(cwd: string, branch: string): Upstream | null {
  const setting = (key: string) => gitOrNull(cwd, ['config', '--get', `branch.${branch}.${key}`])?.trim();
  const remote = setting('remote');
  const merge = setting('merge')?.replace(/^refs\/heads\//, '');
  if (remote !== undefined && remote !== '.' && merge !== undefined) return { remote, branch: merge };
  const remotes = gitOrNull(cwd, ['remote'])?.split('\n') ?? [];
  return remotes.includes('origin') ? { remote: 'origin', branch } : null;
}

/** The commit that is checked out; null before the first commit and outside of a repository. */
export function head(cwd: string): string | null {
  return gitOrNull(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD'])?.trim() || null;
}

/**
 * Changes that are not committed, as git lists them: of all files that git knows, and new files below the paths
 * `watched`, which are from the folder `cwd`.
 */
export function uncommitted(cwd: string, watched: readonly string[]): string[] {
  const list = (args: string[]) =>
    git(cwd, ['status', '--porcelain', ...args])
      .split('\n')
      .filter((line) => line !== '');
  const known = list(['--untracked-files=no']);
  const unknown = list(['--untracked-files=all', '--', ...watched]).filter((line) => line.startsWith('??'));
  return [...known, ...unknown];
}

/** Paths from the top folder that differ from HEAD, in the working tree or in the index, with new files. */
export function differing(root: string): string[] {
  const entries = git(root, ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all']).split('\0');
  return entries.filter((entry) => entry !== '').map((entry) => entry.slice(3));
}

/** The bytes of a file at a commit, `path` being from the top folder; null where it has none. */
export function fileAt(cwd: string, commit: string, path: string): Buffer | null {
  try {
    return gitBytes(cwd, ['cat-file', 'blob', `${commit}:${path}`]);
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}

/** Gives a file the content that HEAD has, in the working tree and in the index; removes it where HEAD has none. */
export function restoreFile(root: string, path: string): void {
  if (fileAt(root, 'HEAD', path) !== null) git(root, ['checkout', '--quiet', 'HEAD', '--', path]);
  else {
    git(root, ['rm', '--quiet', '--cached', '--ignore-unmatch', '--', path]);
    rmSync(join(root, path), { force: true });
  }
}

/**
 * The commits that HEAD has and `other` has not, the newest first, with the first line of their messages; the last one
 * alone where `other` is null.
 */
export function commitsSince(cwd: string, other: string | null): { commit: string; subject: string }[] {
  const range = other === null ? ['-1', 'HEAD'] : [`${other}..HEAD`];
  const lines = git(cwd, ['log', '--format=%H %s', ...range]).split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => ({ commit: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }));
}

/** Paths from the top folder that a commit changed against its first parent. */
export function changedBy(root: string, commit: string): string[] {
  return git(root, ['diff-tree', '-r', '-z', '--no-commit-id', '--name-only', '--no-renames', `${commit}^`, commit])
    .split('\0')
    .filter((path) => path !== '');
}

/**
 * Fetches the upstream branch and returns its commit; null where the remote does not have it yet.
 *
 * Throws OperationError when the remote does not answer.
 */
export function fetchUpstream(cwd: string, upstream: Upstream): string | null {
  const { remote, branch } = upstream;
  const tracking = trackingName(upstream);
  try {
    git(cwd, ['fetch', '--quiet', '--no-tags', remote, `+refs/heads/${branch}:${tracking}`]);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (/couldn't find remote ref/i.test(error.message)) return null;
    throw new OperationError(
      `The remote ${remote} did not answer, so nobody knows whether this branch is behind it (git: ${firstLine(error.message)}).`,
    );
  }
  return git(cwd, ['rev-parse', tracking]).trim();
}

/** The newest commit that two have in common; null where there is none or the clone is too shallow to tell. */
export function mergeBase(cwd: string, one: string, other: string): string | null {
  return gitOrNull(cwd, ['merge-base', one, other])?.trim() || null;
}

/** How many commits `other` has that HEAD does not. */
export function commitsBehind(cwd: string, other: string): number {
  return Number(git(cwd, ['rev-list', '--count', `HEAD..${other}`]));
}

/** How many commits HEAD has that `other` does not. */
export function commitsAhead(cwd: string, other: string): number {
  return Number(git(cwd, ['rev-list', '--count', `${other}..HEAD`]));
}

/** Takes up the commits of `other` where HEAD has none of its own. Throws GitError otherwise. */
export function fastForward(cwd: string, other: string): void {
  git(cwd, ['merge', '--quiet', '--ff-only', other]);
}

/** Commits files and nothing else, and returns the commit. Paths are from `cwd`. Throws GitError. */
export function commitFiles(cwd: string, files: readonly string[], message: string): string {
  git(cwd, ['commit', '--quiet', '--only', '-m', message, '--', ...files]);
  return git(cwd, ['rev-parse', 'HEAD']).trim();
}

/** Takes back the commits after `commit`, with what they changed. Changes that are not committed stay. */
export function takeBack(cwd: string, commit: string): void {
  git(cwd, ['reset', '--quiet', '--keep', commit]);
}

/** Pushes HEAD to a branch of a remote, never by force. Throws GitError when the remote refuses. */
export function push(cwd: string, { remote, branch }: Upstream): void {
  git(cwd, ['push', '--quiet', remote, `HEAD:refs/heads/${branch}`]);
}

/** The first line of what git said that tells the reason, without its label. */
export function firstLine(words: string): string {
  const lines = words.split('\n').map((line) => line.trim());
  const telling = lines.find((line) => /^(?:fatal|error|!|remote: error)/.test(line)) ?? lines[0] ?? '';
  return telling.replace(/^(?:fatal|error): /, '');
}

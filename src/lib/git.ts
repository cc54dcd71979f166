import { runChild } from './children.ts';
import { explainSaid, systemReason, OperationError } from './errors.ts';
import { areSettled, sourceStamps } from './files.ts';
import { execFileSync } from 'node:child_process';
import { rmSync, readFileSync, statSync } from 'node:fs';
import { join, resolve, dirname } from 'node:path';

/** A git command failed. The message is its output. */
export class GitError extends Error {
  override readonly name = 'GitError';
  /** Whether git is not installed. */
  readonly missing: boolean;

  constructor(args: readonly string[], said: string, missing: boolean) {
    super(said === '' ? `git ${args[0]} failed without a message` : (explainSaid(said) ?? said));
    this.missing = missing;
  }
}

/** How git is run: its messages are in English, it never asks, and it is stopped after a minute. */
const limits = { maxBuffer: 2 ** 30, timeout: 60_000 };
const options = (cwd: string) => ({ cwd, env: { ...process.env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' } });

/**
 * Runs a git command that only reads, in the folder `cwd`, and returns its stdout.
 *
 * Throws GitError with git's message.
 */
export function git(cwd: string, args: readonly string[]): string {
  return gitBytes(cwd, args).toString('utf8');
}

/** Runs git and returns its stdout as bytes. `input` is written to its stdin. */
export function gitBytes(cwd: string, args: readonly string[], input = ''): Buffer {
  try {
    return execFileSync('git', args, {
      ...options(cwd),
      ...limits,
      input,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: Buffer };
    throw failure(args, code, stderr?.toString('utf8'));
  }
}

/**
 * Runs a git command that changes something. Unlike one that only reads, it may ask a remote or run hooks, which can take
 * any time; they end with it.
 *
 * Rejects with GitError with git's message.
 */
export async function changeByGit(cwd: string, args: readonly string[]): Promise<void> {
  // SIGTERM lets git remove its locks.
  const run = {
    ...options(cwd),
    timeoutMs: limits.timeout,
    maxBytes: limits.maxBuffer,
    killSignal: 'SIGTERM',
  } as const;
  const ended = await runChild('git', args, run);
  if (ended.code === 0) return;
  const code = ended.failure === 'timeout' ? 'ETIMEDOUT' : (ended.failure as NodeJS.ErrnoException | null)?.code;
  throw failure(args, code, ended.stderr.toString('utf8'));
}

function failure(args: readonly string[], code: string | undefined, stderr = ''): GitError {
  const words = stderr.trim();
  // Without output, git may not even have started, for example because the system has no memory or processes left.
  const silent = code === undefined || code === 'ENOENT' ? '' : `git cannot be run: ${systemReason(code)}`;
  const said = code === 'ETIMEDOUT' ? 'git did not answer within a minute' : words === '' ? silent : words;
  return new GitError(args, said, code === 'ENOENT');
}

/** Runs git, and returns null if the command fails. */
export function gitOrNull(cwd: string, args: readonly string[]): string | null {
  try {
    return git(cwd, args);
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}

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

/** Returns the commit that is checked out; null before the first commit and outside a repository. */
export function head(cwd: string): string | null {
  return gitOrNull(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD'])?.trim() || null;
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

/** Returns the newest common commit of two commits; null if there is none or the clone is too shallow to contain it. */
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

/** Returns the line of a git message that contains the reason, without its label. */
export function firstLine(words: string): string {
  const lines = words.split('\n').map((line) => line.trim());
  const telling = lines.find((line) => /^(?:fatal|error|!|remote: error)/.test(line)) ?? lines[0] ?? '';
  return telling.replace(/^(?:fatal|error): /, '');
}

/** Environment variables that make Git use other folders. */
const redirections = ['GIT_DIR', 'GIT_COMMON_DIR', 'GIT_WORK_TREE', 'GIT_OBJECT_DIRECTORY', 'GIT_NAMESPACE'];

/**
 * Returns the paths of the files in which Git keeps HEAD and the branches: as long as their stamps (see lib/files.ts) are
 * the same, so are the history and the record of published agents. Outside of a repository, they are the places where one
 * would begin. Null if Git uses other files.
 */
export function gitFiles(cwd: string, environment: NodeJS.ProcessEnv = process.env): string[] | null {
  if (redirections.some((name) => environment[name] !== undefined)) return null;
  const folder = gitFolder(resolve(cwd));
  if (folder === null) return foldersAbove(resolve(cwd)).map((path) => join(path, '.git'));
  const common = commonFolder(folder);
  const files = ['HEAD', 'config', 'packed-refs', 'shallow', 'refs', 'reftable'];
  return [join(folder, 'HEAD'), join(folder, 'reftable'), ...files.map((name) => join(common, name))];
}

/** Returns the stamps of the same files, without starting Git; null if they are unknown or have just been changed. */
export function gitStamp(cwd: string, environment: NodeJS.ProcessEnv = process.env): string | null {
  const files = gitFiles(cwd, environment);
  const stamps = sourceStamps(files ?? []);
  return files !== null && areSettled(stamps)
    ? JSON.stringify([environment.PATH, stamps.paths, ...stamps.numbers])
    : null;
}

/** Whether a folder is in a repository. */
export function isInRepository(cwd: string): boolean {
  return gitFolder(resolve(cwd)) !== null;
}

/** Finds the .git folder of a repository. In a linked working tree, .git is a file that names it (gitrepository-layout). */
function gitFolder(folder: string): string | null {
  for (const above of foldersAbove(folder)) {
    const path = join(above, '.git');
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) return path;
    if (stats?.isFile()) return named(path, /^gitdir: (.*)$/m, above);
  }
  return null;
}

/** Returns a folder and the folders that contain it. */
function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

/** The folder that all linked working trees share. */
function commonFolder(folder: string): string {
  return named(join(folder, 'commondir'), /^(.*)$/m, folder) ?? folder;
}

function named(file: string, pattern: RegExp, base: string): string | null {
  try {
    const path = pattern.exec(readFileSync(file, 'utf8'))?.[1];
    return path === undefined ? null : resolve(base, path);
  } catch {
    return null;
  }
}

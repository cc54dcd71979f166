import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isStagedName } from '../content/new/agent.ts';
import { OperationError, orElse } from '../lib/errors.ts';
import { isDraftName } from '../lib/files.ts';
import { changeByGit, GitError, git, gitBytes, gitOrNull, orNull } from '../lib/git.ts';
import { alone } from '../storage/lock.ts';
import type { Release } from './plan.ts';
import { withIssueLine } from './write-numbers.ts';

/** A branch of a remote: with its name for people, and the ref that git stores it under once it was fetched. */
export type Upstream = ReturnType<typeof upstreamAt>;

function upstreamAt(remote: string, branch: string) {
  return { remote, branch, name: `${remote}/${branch}`, ref: `refs/remotes/${remote}/${branch}` };
}

/** Returns the configured upstream of the branch or, by default, the branch with the same name on `origin`. */
function upstreamOf(cwd: string, branch: string): Upstream | null {
  const entries = gitOrNull(cwd, ['config', '--null', '--get-regexp', '^branch\\.'])?.split('\0') ?? [];
  const settings = new Map(entries.map((entry) => entry.split(/\n(.*)/s, 2) as [string, string]));
  const setting = (key: string) => settings.get(`branch.${branch}.${key}`);
  const remote = setting('remote');
  const merge = setting('merge')?.replace(/^refs\/heads\//, '');
  if (remote !== undefined && remote !== '.' && merge !== undefined) return upstreamAt(remote, merge);
  const remotes = gitOrNull(cwd, ['remote'])?.split('\n') ?? [];
  return remotes.includes('origin') ? upstreamAt('origin', branch) : null;
}

/**
 * Lists the paths, relative to the top folder, that differ from HEAD in the working tree or the index, including new
 * files.
 */
function differing(root: string): string[] {
  const entries = git(root, ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all']).split('\0');
  return entries.filter((entry) => entry !== '').map((entry) => entry.slice(3));
}

/**
 * Returns the bytes of a file at a commit; null if the commit does not have it. `path` is relative to the top folder.
 */
function fileAt(cwd: string, commit: string, path: string): Buffer | null {
  return orNull(() => gitBytes(cwd, ['cat-file', 'blob', `${commit}:${path}`]));
}

/** Restores a file from HEAD, in the working tree and the index. Removes it if HEAD does not have it. */
async function restoreFile(root: string, path: string): Promise<void> {
  if (fileAt(root, 'HEAD', path) !== null) await changeByGit(root, ['checkout', '--quiet', 'HEAD', '--', path]);
  else {
    await changeByGit(root, ['rm', '--quiet', '--cached', '--ignore-unmatch', '--', path]);
    rmSync(join(root, path), { force: true });
  }
}

/**
 * Finds the working tree of a folder: its top folder, and git's own folders, the one of the working tree and the one that it shares
 * with other working trees. Throws GitError if there is none.
 */
function locate(cwd: string) {
  // A path can contain a line break. Git prints an option that it does not know, and no path contains this line.
  const mark = '--//';
  const args = ['rev-parse', '--show-toplevel', mark, '--absolute-git-dir', mark, '--git-common-dir'];
  const [root = '', ...folders] = git(cwd, args).slice(0, -1).split(`\n${mark}\n`);
  if (folders.length < 2) throw new GitError(args, 'git names no repository', false);
  return { root: resolve(root), folders: [...new Set(folders.map((path) => resolve(cwd, path)))] };
}

/** How long a git process may continue after the run that started it was killed, in milliseconds. */
const patienceMs = 60_000;

/**
 * Removes git's locks in a repository that are not older than `since`, as a killed git process leaves them. It first
 * waits until no git process is running in the folder `root`.
 *
 * Throws OperationError if one is still running after a minute.
 */
async function removeStaleLocks(root: string, folders: readonly string[], since: Date): Promise<void> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const working = gitProcessIn(root);
    const locks = folders.flatMap((folder) => locksIn(folder)).filter(({ changed }) => changed >= since.getTime());
    const fresh = locks.find(({ changed }) => Date.now() - changed < patienceMs);
    // If the system does not list processes, a lock counts as stale once no git process of ours can still be running.
    if (working === null || (working === undefined && fresh === undefined)) {
      for (const { path } of locks) rmSync(path, { force: true });
      return;
    }
    if (Date.now() > end) {
      throw new OperationError(
        `A git process${working === undefined ? '' : ` (${working})`} of an interrupted run is still working in ${root}. Wait until it has finished, or stop it, and run the command again.`,
      );
    }
    await pause(100);
  }
}

/** Lists git's own locks: on the index, settings and references. */
function locksIn(folder: string): { path: string; changed: number }[] {
  const paths = [
    ...list(folder).filter((name) =>
      /^(?:next-index-\d+|index|HEAD|ORIG_HEAD|config|packed-refs|shallow)\.lock$/.test(name),
    ),
    ...list(join(folder, 'refs'), true)
      .filter((name) => name.endsWith('.lock'))
      .map((name) => join('refs', name)),
  ].map((name) => join(folder, name));
  return paths.flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ path, changed: stat.mtimeMs }];
  });
}

function list(folder: string, recursive = false): string[] {
  return orElse(() => readdirSync(folder, { recursive, encoding: 'utf8' }), []);
}

/**
 * Returns the pid of a git process in a folder; null if there is none, undefined if the system does not list processes.
 */
function gitProcessIn(root: string): string | null | undefined {
  const pids = list('/proc').filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return undefined;
  const isRunning = (pid: string) => {
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    const inside = folder === root || folder.startsWith(root + sep);
    return inside && readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('git') && !hasEnded(pid);
  };
  // Reading fails if the process has ended, or belongs to another user.
  return pids.find((pid) => orElse(() => isRunning(pid), false)) ?? null;
}

function hasEnded(pid: string): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return /^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1));
}

/** The working tree in which numbers are published. */
export class Checkout {
  /** The catalog folder. */
  readonly cwd: string;
  /** The top folder of the working tree. */
  readonly root: string;
  /** Git's own folders. */
  readonly folders: readonly string[];
  /** The branch that is checked out; null if HEAD is detached. */
  readonly branch: string | null;
  /** The remote branch that this branch is pushed to; null if there is none. */
  readonly upstream: Upstream | null;

  /** Finds the working tree of the catalog folder `cwd`. Throws GitError if there is none. */
  constructor(cwd: string) {
    const { root, folders } = locate(cwd);
    this.cwd = cwd;
    this.root = root;
    this.folders = folders;
    // With --short, the name would be heads/main if a tag is also called main.
    const ref = gitOrNull(cwd, ['symbolic-ref', '--quiet', 'HEAD'])?.trim();
    this.branch = ref?.replace(/^refs\/heads\//, '') ?? null;
    this.upstream = this.branch === null ? null : upstreamOf(cwd, this.branch);
  }

  /**
   * Runs `work` as the only publisher in the repository, after cleaning up after an earlier run that was killed.
   *
   * Throws OperationError if git is running in the repository, or left a lock.
   */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const file = join(this.folders[0] as string, 'catalog-publish');
    const other = 'Another catalog publish is running in this repository';
    return alone({ file, other }, async (_beat, killed) => {
      if (killed !== null) await this.#clearAfterKill(killed);
      this.#refuseLocked();
      return work();
    });
  }

  /**
   * Updates the branch to `commit`, which is ahead of it. If Git fails, as on a full disk, the files that it has changed are
   * restored, so that they do not keep the next run from publishing. Git writes the index last. Throws GitError.
   */
  async fastForward(commit: string): Promise<void> {
    const { root } = this;
    const before = differing(root);
    try {
      await changeByGit(root, ['merge', '--quiet', '--ff-only', commit]);
    } catch (error) {
      for (const path of differing(root)) {
        if (before.includes(path) || !isHalfWritten(root, path, commit)) continue;
        if (fileAt(root, 'HEAD', path) === null) rmSync(join(root, path), { force: true });
        // Unlike git checkout, this needs no space for a new index.
        else await changeByGit(root, ['checkout-index', '--quiet', '--force', '--', path]).catch(() => {});
      }
      throw error;
    }
  }

  /**
   * Removes uncommitted `issue` lines if they are exactly those that `plan` would write now. Everything else stays.
   */
  async removeUncommittedLines(plan: () => readonly Release[]): Promise<void> {
    const { cwd, root } = this;
    const lines = differing(root).flatMap((path) => {
      const slug = /^agents\/([^/]+)\/agent\.md$/.exec(relative(cwd, join(root, path)).replaceAll('\\', '/'))?.[1];
      const bytes = readOrNull(join(root, path));
      const issue = issueIn(bytes);
      if (slug === undefined || bytes === null || issue === null) return [];
      const committed = fileAt(root, 'HEAD', path);
      return committed !== null && withIssueLine(committed, issue)?.equals(bytes) ? [{ path, slug, issue, bytes }] : [];
    });
    if (lines.length === 0) return;
    const undo = () => {
      for (const { path, bytes } of lines) writeFileSync(join(root, path), bytes);
    };
    for (const { path } of lines) await restoreFile(root, path);
    try {
      const releases = plan();
      const same = lines.every(({ slug, issue }) => releases.some((it) => it.slug === slug && it.issue === issue));
      if (!same) undo();
    } catch (error) {
      undo();
      throw error;
    }
  }

  /**
   * Whether the commits of HEAD that its upstream lacks were made by `catalog publish`. If the remote has no such branch,
   * only the last commit is checked.
   */
  ownCommits(upstream: string | null): 'all' | 'some' | 'none' {
    const { root } = this;
    const range = upstream === null ? ['-1', 'HEAD'] : [`${upstream}..HEAD`];
    const commits = git(root, ['log', '--no-show-signature', '--format=%H %s', ...range]).match(/^.+$/gm) ?? [];
    const own = commits.filter((line) => {
      const commit = /^(\w+) Publish No\. \d/.exec(line)?.[1];
      return commit !== undefined && writesLinesOnly(root, commit);
    });
    if (own.length === 0) return 'none';
    return own.length === commits.length ? 'all' : 'some';
  }

  /**
   * Cleans up after a run that began at `killed` and was killed: removes git's locks, and restores files that git was
   * writing. A file that differs from both HEAD and its upstream is someone's work, and stays.
   *
   * Throws OperationError if a git process of that run is still running.
   */
  async #clearAfterKill(killed: Date): Promise<void> {
    const { root, folders } = this;
    await removeStaleLocks(root, folders, killed);
    const next = this.upstream?.ref ?? null;
    for (const path of differing(root)) {
      if (isDraftName(basename(path)) || isHalfWritten(root, path, next)) await restoreFile(root, path);
    }
  }

  /** Refuses a repository whose index is locked, and names the lock: git is running, or was killed. */
  #refuseLocked(): void {
    const lock = this.folders.flatMap(locksIn).find(({ path }) => basename(path) === 'index.lock');
    if (lock === undefined) return;
    throw new OperationError(
      `${lock.path} exists: another git process is running in this repository, or was killed. If none is running, delete that file and run the command again.`,
    );
  }
}

/**
 * Runs `work` as the only command that changes agents of the catalog. It waits a few seconds for another one. `folder` is
 * git's folder, if the catalog has one.
 */
export async function asOnlyEditor<Result>(
  cwd: string,
  work: () => Result | Promise<Result>,
  say?: (message: string) => void,
  folder = orElse(() => locate(cwd).folders[0], undefined),
): Promise<Result> {
  // In the catalog folder, git would show it as a new file.
  const file = folder === undefined ? join(cwd, '.agents') : join(folder, 'catalog-agents');
  return alone({ file, other: 'Another catalog command is changing agents', waitMs: 10_000, say }, () => {
    removeDrafts(join(cwd, 'agents'));
    return work();
  });
}

/** Removes what killed commands left in agents/: the hidden drafts of files and of new folders, which Git would show. */
function removeDrafts(agents: string): void {
  // Unlike a list of names, this one does not follow links.
  const entries = orElse(() => readdirSync(agents, { recursive: true, withFileTypes: true }), []);
  for (const { name, parentPath } of entries) {
    const recursive = isStagedName(name);
    if (recursive || isDraftName(name)) {
      orElse(() => rmSync(join(parentPath, name), { recursive }), undefined);
    }
  }
}

/** Whether a killed checkout of `next` could have left a file in this state. */
function isHalfWritten(root: string, path: string, next: string | null): boolean {
  const now = fileAt(root, 'HEAD', path);
  const then = next === null ? null : fileAt(root, next, path);
  const content = readOrNull(join(root, path));
  // Either only the index differs, or git removed the file to rewrite it, or git wrote only a part of it.
  if (content === null) return (now ?? then) !== null;
  return (
    [now, then].some((bytes) => bytes?.equals(content)) ||
    beginsWith(then, content) ||
    beginsWith(withLineOf(content, now), content)
  );
}

/** `bytes` with the `issue` line of a file; null if the file has none. */
function withLineOf(file: Buffer, bytes: Buffer | null): Buffer | null {
  const issue = issueIn(file);
  return bytes === null || issue === null ? null : withIssueLine(bytes, issue);
}

function beginsWith(bytes: Buffer | null, start: Buffer): boolean {
  return bytes !== null && start.length < bytes.length && bytes.subarray(0, start.length).equals(start);
}

function writesLinesOnly(root: string, commit: string): boolean {
  // Git fails if the repository does not have the parent of the commit. Each path ends with NUL.
  const changes = gitOrNull(root, ['diff-tree', '-r', '-z', '--name-only', `${commit}^`, commit]);
  const paths = changes?.split('\0').slice(0, -1);
  if (paths === undefined) return false;
  return paths.every((path) => {
    const before = fileAt(root, `${commit}^`, path);
    const after = fileAt(root, commit, path);
    const issue = issueIn(after);
    return before !== null && after !== null && issue !== null && withIssueLine(before, issue)?.equals(after) === true;
  });
}

/** The number in the `issue` line of an agent.md, or null. */
function issueIn(bytes: Buffer | null): number | null {
  const digits = /^issue: (\d{1,9})$/m.exec(bytes?.toString('latin1') ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
}

function readOrNull(path: string): Buffer | null {
  return orElse(() => readFileSync(path), null);
}

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { runChild } from './children.ts';
import { orElse, systemReason } from './errors.ts';
import { areSettled, sourceStamps } from './files.ts';

/** A git command failed. The message is its output. */
export class GitError extends Error {
  override readonly name = 'GitError';
  /** Whether git is not installed. */
  readonly missing: boolean;

  constructor(args: readonly string[], said: string, missing: boolean) {
    const command = args.find((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c');
    super(said === '' ? `git ${command} failed without a message` : (explainSaid(said) ?? said));
    this.missing = missing;
  }
}

/** The English messages of the system for some of these codes, which git repeats. */
const phrases: [RegExp, code: string][] = [
  [/no space left on device/i, 'ENOSPC'],
  [/disk quota exceeded/i, 'EDQUOT'],
  [/read-only file system/i, 'EROFS'],
  [/permission denied/i, 'EACCES'],
  [/too many open files in system/i, 'ENFILE'],
  [/too many open files/i, 'EMFILE'],
  [/input\/output error/i, 'EIO'],
  [/cannot allocate memory/i, 'ENOMEM'],
];

/** The reason for a system error in the messages of git, with its line; null if there is none. */
function explainSaid(said: string): string | null {
  for (const [phrase, code] of phrases) {
    const line = said.split('\n').find((each) => phrase.test(each));
    if (line !== undefined) return `${systemReason(code)}: ${line.trim()}`;
  }
  return null;
}

/** How git is run: its messages are in English, it never asks, and it is stopped after a minute. */
const limits = { maxBuffer: 2 ** 30, timeout: 60_000 };
const options = (cwd: string) => ({
  cwd,
  env: { ...process.env, ...ownPathspecs, ...workTreeOfHook(cwd), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
});

/** Hooks get these from options of git, such as Magit's `--literal-pathspecs`. With them, other files would match. */
const ownPathspecs = Object.fromEntries(
  ['LITERAL', 'GLOB', 'NOGLOB', 'ICASE'].map((kind) => [`GIT_${kind}_PATHSPECS`, undefined]),
);

/**
 * Hooks and aliases get GIT_DIR from git, often without GIT_WORK_TREE. Git then takes the folder of the command for the top
 * of the working tree, and in another folder, a relative GIT_DIR leads nowhere.
 */
function workTreeOfHook(cwd: string): NodeJS.ProcessEnv {
  const { GIT_DIR, GIT_WORK_TREE } = process.env;
  if (GIT_DIR === undefined || GIT_WORK_TREE !== undefined) return {};
  const named = resolve(cwd, GIT_DIR);
  if (!existsSync(join(named, 'HEAD'))) return { GIT_DIR: undefined };
  return orElse(() => {
    const top = foldersAbove(realpathSync(cwd)).find((folder) => existsSync(join(folder, '.git'))) as string;
    return realpathSync(gitFolder(top) as string) === realpathSync(named) ? { GIT_WORK_TREE: top } : {};
  }, {});
}

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

/** The command that git names for using a repository of another user; null if it failed for another reason. */
export function allowing(said: string): string | null {
  return /git config --global --add safe\.directory .+/.exec(said)?.[0] ?? null;
}

/** Calls `read`. Returns null if it throws GitError. */
export function orNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}

/** Runs git, and returns null if the command fails. */
export function gitOrNull(cwd: string, args: readonly string[]): string | null {
  return orNull(() => git(cwd, args));
}

/** Returns the commit that is checked out; null before the first commit and outside a repository. */
export function head(cwd: string): string | null {
  return gitOrNull(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD'])?.trim() || null;
}

/** Returns the newest common commit of two commits; null if there is none or the clone is too shallow to contain it. */
export function mergeBase(cwd: string, commit: string, other: string): string | null {
  return gitOrNull(cwd, ['merge-base', commit, other])?.trim() || null;
}

/** Returns the line of a git message that contains the reason, without its label. */
export function firstLine(words: string): string {
  const lines = words.split('\n').map((line) => line.trim());
  const telling = lines.find((line) => /^(?:fatal|error|!|remote: error)/.test(line)) ?? lines[0] ?? '';
  return telling.replace(/^(?:fatal|error): /, '');
}

/** Lists the files below some paths at a commit, whose paths are relative to `cwd`. Throws GitError. */
export function filesAt(cwd: string, commit: string, paths: readonly string[]): { blob: string; path: string }[] {
  const entries = git(cwd, ['ls-tree', '-r', '-z', commit, '--', ...paths]).split('\0');
  return entries.flatMap((entry) => {
    const [, blob = '', path] = /^\d+ blob (\w+)\t(.*)$/s.exec(entry) ?? [];
    return path === undefined ? [] : [{ blob, path }];
  });
}

/** Reads the texts of blobs, by id, with one process. Blobs that do not exist are left out. Throws GitError. */
export function readBlobs(cwd: string, ids: Iterable<string>): Map<string, string> {
  const blobs = [...new Set(ids)];
  const texts = new Map<string, string>();
  if (blobs.length === 0) return texts;
  const output = gitBytes(cwd, ['cat-file', '--batch'], `${blobs.join('\n')}\n`);
  let at = 0;
  while (at < output.length) {
    const end = output.indexOf('\n', at);
    const [id = '', type, size] = output.toString('utf8', at, end).split(' ');
    at = end + 1;
    if (type === 'missing') continue;
    texts.set(id, output.toString('utf8', at, at + Number(size)));
    at += Number(size) + 1;
  }
  return texts;
}

/** A commit in a log of git. */
export interface Commit {
  commit: string;
  /** In milliseconds since 1970. */
  time: number;
  /** The lines that git prints for the commit, one for each file. */
  lines: string[];
}

/**
 * Returns the commits of the first parents that a log lists, newest first. Only the first line of a commit starts with NUL,
 * so no text in a repository can look like one. Throws GitError, for example if git takes longer than a minute.
 */
export function commitsIn(cwd: string, options: readonly string[]): Commit[] {
  const settings = ['core.quotePath=false', 'log.showSignature=false', 'log.showRoot=true', 'log.diffMerges=separate'];
  const log = git(cwd, [
    ...[...settings, 'diff.relative=false'].flatMap((setting) => ['-c', setting]),
    ...['log', '--format=%x00%H%x09%ct', '--first-parent', '-m', '--no-renames', '--diff-algorithm=myers'],
    // Attributes could make Git skip files, or compare something else than their texts.
    ...['--text', '--no-textconv', ...options],
  ]);
  return log
    .split('\0')
    .slice(1)
    .map((text) => {
      const [head = '', ...lines] = text.split('\n');
      const [commit = '', seconds = ''] = head.split('\t');
      return { commit, time: Number(seconds) * 1000, lines };
    });
}

/**
 * Returns the id that git gives a file with these bytes. The length of `sample`, any id of the repository, shows which
 * hash algorithm the repository uses.
 */
export function blobId(bytes: Buffer, sample: string): string {
  const hash = createHash(sample.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Three versions of a text. */
type Versions = Record<'yours' | 'original' | 'theirs', string>;

/**
 * Joins the changes that two sides made to a text. Where both changed the same lines, the result has all three versions
 * between markers, which `labels` name. Returns null if Git is not installed.
 */
export function mergeTexts(texts: Versions, labels: Versions): { text: string; conflicts: boolean } | null {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-merge-'));
  try {
    const names = ['yours', 'original', 'theirs'] as const;
    for (const name of names) writeFileSync(join(folder, name), Buffer.from(texts[name]));
    const marks = names.flatMap((name) => ['-L', labels[name]]);
    // The exit code is the number of conflicts.
    const { status, stdout } = spawnSync('git', ['merge-file', '--stdout', '--diff3', ...marks, ...names], {
      ...options(folder),
      ...limits,
      encoding: 'utf8',
    });
    return status === null || status > 127 ? null : { text: stdout, conflicts: status > 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Environment variables that make Git use other folders. */
const redirections = ['GIT_DIR', 'GIT_COMMON_DIR', 'GIT_WORK_TREE', 'GIT_OBJECT_DIRECTORY', 'GIT_NAMESPACE'];

/** Whether Git could find a repository from a folder. */
export function isInRepository(cwd: string): boolean {
  if (isRedirected(process.env)) return true;
  return orElse(() => gitFolder(realpathSync(cwd)) !== null, true);
}

/** Whether the environment makes Git use other folders. */
function isRedirected(environment: NodeJS.ProcessEnv): boolean {
  return redirections.some((name) => environment[name] !== undefined);
}

/** Finds the .git folder of a repository. In a linked working tree, .git is a file that names it (gitrepository-layout). */
function gitFolder(folder: string): string | null {
  for (const above of foldersAbove(folder)) {
    const path = join(above, '.git');
    // Below a file, some versions of Node.js find nothing, and others throw.
    const stats = orElse(() => statSync(path), undefined);
    if (stats?.isDirectory()) return path;
    if (stats?.isFile()) return named(path, /^gitdir: (.*)$/m, above);
  }
  return null;
}

/** The folder that all linked working trees of a repository share. */
function commonFolder(folder: string): string {
  return named(join(folder, 'commondir'), /^(.*)$/m, folder) ?? folder;
}

/**
 * Returns the paths of the files in which Git keeps HEAD and the branches: as long as their stamps (see ./files.ts) are
 * the same, so are the history and the published agents. Outside of a repository, they are the places where one
 * would begin. Null if Git uses other files.
 */
export function gitFiles(cwd: string, environment: NodeJS.ProcessEnv = process.env): string[] | null {
  if (isRedirected(environment)) return null;
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

/** Whether the clone lacks the oldest commits. Git keeps a list of the oldest ones that it has (gitrepository-layout). */
export function isShallow(cwd: string): boolean {
  if (isRedirected(process.env)) return gitOrNull(cwd, ['rev-parse', '--is-shallow-repository'])?.trim() === 'true';
  const folder = gitFolder(realpathSync(cwd));
  return folder !== null && existsSync(join(commonFolder(folder), 'shallow'));
}

/** Returns a folder and the folders that contain it. */
function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

/** Returns the path that a file of Git names; null if it names none. */
function named(file: string, pattern: RegExp, base: string): string | null {
  const path = orElse(() => pattern.exec(readFileSync(file, 'utf8'))?.[1], undefined);
  return path === undefined ? null : resolve(base, path);
}

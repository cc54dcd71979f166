import { execFileSync } from 'node:child_process';
import { explainSaid, systemReason } from '../errors.ts';

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

/**
 * Runs git in the folder `cwd` and returns its stdout. Its messages are in English, it never prompts, and it is stopped
 * after a minute, so that a remote that never answers does not block the program.
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
      cwd,
      input,
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 2 ** 30,
      timeout: 60_000,
      env: { ...process.env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' },
    });
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: Buffer };
    const words = (stderr?.toString('utf8') ?? '').trim();
    // Without output, git may not even have started, for example because the system has no memory or processes left.
    const silent = code === undefined || code === 'ENOENT' ? '' : `git cannot be run: ${systemReason(code)}`;
    const said = code === 'ETIMEDOUT' ? 'git did not answer within a minute' : words === '' ? silent : words;
    throw new GitError(args, said, code === 'ENOENT');
  }
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

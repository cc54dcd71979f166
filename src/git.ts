import { execFileSync } from 'node:child_process';

/**
 * The text of a file on the default branch of the remote `origin`, as the last fetch saw it, with the name of that
 * branch. `path` is from the folder `cwd`, with slashes.
 *
 * Null where there is no git, no repository, no such remote, or no such file there. Nothing is fetched.
 */
export function onDefaultBranch(cwd: string, path: string): { branch: string; text: string } | null {
  for (const branch of ['origin/HEAD', 'origin/main', 'origin/master']) {
    const text = git(cwd, ['show', `${branch}:./${path}`]);
    if (text !== null) return { branch: branch === 'origin/HEAD' ? nameOf(cwd) : branch, text };
  }
  return null;
}

/** What origin/HEAD stands for. */
function nameOf(cwd: string): string {
  return git(cwd, ['rev-parse', '--abbrev-ref', 'origin/HEAD'])?.trim() || 'origin/HEAD';
}

function git(cwd: string, args: string[]): string | null {
  try {
    return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null;
  }
}

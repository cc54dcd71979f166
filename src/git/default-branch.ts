import { gitOrNull } from './run.ts';

/**
 * The text of a file on the default branch of the remote `origin`, as the last fetch saw it, with the name of that
 * branch. `path` is from the folder `cwd`, with slashes.
 *
 * Null where there is no git, no repository, no such remote, or no such file there. Nothing is fetched.
 */
export function onDefaultBranch(cwd: string, path: string): { branch: string; text: string } | null {
  for (const branch of ['origin/HEAD', 'origin/main', 'origin/master']) {
    const text = gitOrNull(cwd, ['show', `${branch}:./${path}`]);
    if (text !== null) return { branch: branch === 'origin/HEAD' ? nameOf(cwd) : branch, text };
  }
  return null;
}

/** What origin/HEAD stands for. */
function nameOf(cwd: string): string {
  return gitOrNull(cwd, ['rev-parse', '--abbrev-ref', 'origin/HEAD'])?.trim() || 'origin/HEAD';
}

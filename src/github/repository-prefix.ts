import { relative, sep } from 'node:path';

/**
 * The path from the root of the repository that GitHub Actions checked out (`GITHUB_WORKSPACE`) to the catalog's folder,
 * empty or with a slash at its end: annotations count from there.
 */
export function repositoryPrefix(cwd: string, { GITHUB_WORKSPACE }: NodeJS.ProcessEnv): string {
  if (GITHUB_WORKSPACE === undefined || GITHUB_WORKSPACE === '') return '';
  const path = relative(GITHUB_WORKSPACE, cwd).split(sep).join('/');
  return path === '' || path.startsWith('..') ? '' : `${path}/`;
}

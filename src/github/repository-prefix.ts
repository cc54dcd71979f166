import { relative, sep } from 'node:path';

/**
 * The path from the root of the repository in GitHub Actions (`GITHUB_WORKSPACE`) to the folder of the catalog, empty or
 * with a slash at its end. The paths of annotations start there.
 */
export function repositoryPrefix(cwd: string, { GITHUB_WORKSPACE }: NodeJS.ProcessEnv): string {
  if (GITHUB_WORKSPACE === undefined || GITHUB_WORKSPACE === '') return '';
  const path = relative(GITHUB_WORKSPACE, cwd).split(sep).join('/');
  return path === '' || path.startsWith('..') ? '' : `${path}/`;
}

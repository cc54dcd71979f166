import { settingsFile } from '../catalog/settings.ts';
import { OperationError } from '../errors.ts';
import { findRecord } from '../git/record.ts';
import {
  commitsBehind,
  fetchUpstream,
  type Repository,
  type Upstream,
  uncommitted,
  untracked,
} from '../git/repository.ts';
import type { Plan } from './plan.ts';
import type { Checkout } from './recover.ts';

/** The branch of the remote to push to. Throws OperationError if there is none. */
export function upstreamToPush({ branch, upstream }: Repository): Upstream {
  if (branch === null) throw detached();
  if (upstream === null) {
    throw new OperationError(
      `The branch ${branch} has no remote to push to. Add one with git remote add origin <address>, or run the command without --push.`,
    );
  }
  return upstream;
}

/** Only the default branch gets numbers: on another branch, another agent could get the same number. */
export function refuseOtherBranch({ cwd, repository: { branch, upstream } }: Checkout): void {
  const record = findRecord(cwd);
  if (branch === null || record === null || record.name === branch) return;
  if (upstream !== null && record.name === nameOf(upstream)) return;
  throw new OperationError(
    `Issue numbers are recorded on ${record.name}, but ${branch} is checked out. Merge ${branch} first, then run the command on the default branch.`,
  );
}

function detached(alternative = ''): OperationError {
  return new OperationError(
    `HEAD is detached, so the issue numbers would be on no branch. Switch to a branch first, for example with git switch main.${alternative}`,
  );
}

export function refuseDirty({ root }: Repository, { cwd, allowDirty }: { cwd: string; allowDirty: boolean }): void {
  if (allowDirty) return;
  const changes = uncommitted(cwd, ['agents', settingsFile]);
  if (changes.length === 0) return;
  const shown = changes.slice(0, 10).map((line) => `  ${line}`);
  if (changes.length > shown.length) shown.push(`  and ${changes.length - shown.length} more`);
  throw new OperationError(
    `The working tree ${root} has uncommitted changes:\n${shown.join('\n')}\nCommit or stash them, or add --allow-dirty.`,
  );
}

export async function refuseBehind(
  { branch, upstream }: Repository,
  { cwd, allowBehind, commit }: { cwd: string; allowBehind: boolean; commit: boolean },
): Promise<void> {
  if (branch === null && (commit || !allowBehind)) {
    throw detached(commit ? '' : ' To write them anyway, add --allow-behind.');
  }
  if (allowBehind || upstream === null) return;
  const remote = await refetch(cwd, upstream);
  const missing = remote === null ? 0 : commitsBehind(cwd, remote);
  if (missing > 0) {
    throw new OperationError(
      `This branch lacks ${missing === 1 ? 'a commit' : `${missing} commits`} of ${nameOf(upstream)}, which may contain issue numbers. Update it with git pull, or add --allow-behind.`,
    );
  }
}

async function refetch(cwd: string, upstream: Upstream): Promise<string | null> {
  try {
    return await fetchUpstream(cwd, upstream);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new OperationError(`${error.message} Try again, or add --allow-behind.`);
  }
}

/** Refuses agents with files that git does not track, because the commit would publish only a part of them. */
export function refuseUncommittable({ branch }: Repository, cwd: string, { releases }: Plan): void {
  if (branch === null) throw detached();
  const loose = releases.filter(({ slug }) => untracked(cwd, [`agents/${slug}`]).length > 0);
  if (loose.length > 0) {
    throw new OperationError(
      `Files of ${loose.map(({ slug }) => `agents/${slug}`).join(', ')} are not in git, so the commit would publish only a part of them. Add and commit them first.`,
    );
  }
}

export function nameOf({ remote, branch }: Upstream): string {
  return `${remote}/${branch}`;
}

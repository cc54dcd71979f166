import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Forge } from './forge.ts';
import { git } from './git.ts';

/** What the runs of publish.yml leave on a forge. */

/** Slug → number, on the main branch of the remote. */
export async function numbers({ remote }: Forge): Promise<Record<string, number>> {
  const lines = await git(remote, 'grep', '-E', '^issue: ', 'main', '--', 'agents').catch(() => '');
  return Object.fromEntries(
    lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.split('/')[1], Number(/issue: (\d+)$/.exec(line)?.[1])]),
  );
}

/** Slugs on the live site, the newest first. */
export function live({ pages }: Forge): string[] {
  const { agents } = JSON.parse(readFileSync(join(pages, 'api/agents.json'), 'utf8'));
  return agents.map(({ slug }: { slug: string }) => slug);
}

/** The branches and tags of the remote that assistants install from, with their commits. */
export async function installRefs({ remote }: Forge): Promise<string[]> {
  const refs = await git(remote, 'for-each-ref', '--format=%(refname) %(objectname)');
  return refs.split('\n').filter((ref) => /install|tags/.test(ref));
}

/** The names of those refs. */
export async function installNames(forge: Forge): Promise<string[]> {
  return (await installRefs(forge)).map((ref) => ref.split(' ')[0] ?? '');
}

/** The results of the jobs of a run that publishes. `alert` does something only if there is a problem. */
export const published = {
  ...{ ready: 'success', number: 'success', push: 'success', build: 'success', install: 'success', deploy: 'success' },
  ...{ check: 'success', alert: 'skipped', announce: 'skipped' },
} as const;

/** The results of the jobs after `number` if there is nothing to publish. */
export const stopped = {
  ...{ push: 'skipped', alert: 'skipped', build: 'skipped', install: 'skipped', deploy: 'skipped' },
  ...{ check: 'skipped', announce: 'skipped' },
} as const;

import { join } from 'node:path';
import { type SmallAgent, smallAgent, writeCatalog, writeFiles } from './catalog.ts';
import type { Forge } from './forge.ts';
import { git } from './git.ts';
import type { Run } from './workflow.ts';

/** Clones the repository of a forge into `editor`, and pushes a catalog without agents to main. */
export async function startCatalog(forge: Forge, editor: string): Promise<void> {
  await git(forge.remote, 'clone', '--quiet', forge.remote, editor);
  await git(editor, 'checkout', '--quiet', '-b', 'main');
  writeCatalog(editor, [], { runtimeUrl: null, queueWarningDays: 1 });
  writeFiles(editor, { '.gitignore': 'dist/\npreview/\n', 'agents/.gitkeep': '', 'README.md': 'A catalog.\n' });
  await save(editor, 'Start the catalog');
}

/** Commits everything the editor has, and pushes it to main, or to another branch that is checked out. */
export async function save(editor: string, message: string, branch = 'main'): Promise<void> {
  await git(editor, 'add', '--all');
  await git(editor, 'commit', '--quiet', '-m', message);
  await git(editor, 'push', '--quiet', '--set-upstream', 'origin', branch);
}

/** Writes an agent, or replaces it. */
export function addAgent(
  editor: string,
  slug: string,
  date: string,
  front: NonNullable<SmallAgent['front']> = {},
): void {
  writeFiles(join(editor, 'agents', slug), smallAgent({ slug, date, front }));
}

/** Everything that the steps of a run wrote. */
export function said({ steps }: Run): string {
  return steps
    .map(({ job, name, code, stdout, stderr }) => `[${job}] ${name} → ${code}\n${stdout}${stderr}`)
    .join('\n');
}

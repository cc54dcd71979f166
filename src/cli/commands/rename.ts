import { join, relative } from 'node:path';
import type { Renamed } from '../../content/edit.ts';
import { type Console, shellWord } from '../console.ts';
import { type CatalogCommand, type CommonFlags, changingAgents, openContent, slugOf } from '../options.ts';

type Flags = Pick<CommonFlags, 'cwd' | 'format'>;

export function addRename(program: CatalogCommand, terminal: Console): void {
  program
    .command('rename')
    .description('rename an agent; the old address of a published agent still works')
    .argument('<slug>', 'agent to rename, by slug or path')
    .argument('<new>', 'new slug')
    .share('cwd')
    .formats('pretty', 'json')
    .explain(
      '\nThe old slug of a published agent is added to its `formerSlugs`, so its old address redirects to the new one. A withdrawn\n' +
        'agent has no page at either address.\n' +
        '\nExamples:\n  $ catalog rename release-notes release-note-translator\n',
    )
    .action((slug: string, newSlug: string, flags: Flags) =>
      changingAgents(flags, terminal, () => rename(slug, newSlug, flags, terminal)),
    );
}

async function rename(slug: string, newSlug: string, flags: Flags, terminal: Console): Promise<void> {
  const { renameAgent } = await import('../../content/edit.ts');
  const { gitOrNull } = await import('../../lib/git.ts');
  const { cwd, content } = await openContent(flags);
  const renamed = renameAgent(cwd, content, slugOf(slug, cwd), slugOf(newSlug, cwd));
  const { from, to, issue } = renamed;
  if (flags.format === 'json') return terminal.printJson({ from, to, folder: `agents/${to}`, issue });
  // Null outside of a repository.
  const tracked = gitOrNull(cwd, ['ls-files', '--', `:(literal)agents/${from}`]);
  const commit = tracked === null ? '' : howToCommit(renamed, { cwd, isTracked: tracked !== '' });
  terminal.say(`Renamed ${from} to ${to}.${aboutAddress(renamed)}${commit}\n`);
  terminal.print(`${relative(process.cwd(), join(cwd, 'agents', to))}\n`);
}

function aboutAddress({ issue, withdrawn }: Renamed): string {
  if (issue === null) return '';
  if (withdrawn) return ` It is No. ${issue}. It is withdrawn, so neither address has a page.`;
  return ` It is No. ${issue}, and its old address redirects to the new one.`;
}

/** The command that adds both folders to the next commit. Git refuses the name of a folder that it does not know. */
function howToCommit({ from, to }: Renamed, { cwd, isTracked }: { cwd: string; isTracked: boolean }): string {
  const here = relative(process.cwd(), cwd);
  const git = here === '' ? 'git' : `git -C ${shellWord(here)}`;
  return isTracked
    ? ` Commit both: ${git} add --all ${shellWord(`agents/${from}`)} agents/${to}`
    : ` Commit it: ${git} add agents/${to}`;
}

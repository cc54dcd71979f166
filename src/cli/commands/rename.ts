import { join, relative } from 'node:path';
import type { Schedule } from '../../content/parse/front-matter.ts';
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
  const { renameAgent } = await import('../../content/fix-and-rename.ts');
  const { gitOrNull } = await import('../../lib/git.ts');
  const { isDue } = await import('../../content/load.ts');
  const { cwd, content, today } = await openContent(flags);
  const renamed = renameAgent(cwd, content, slugOf(slug, cwd), slugOf(newSlug, cwd));
  const { from, to, issue, formerSlugs } = renamed;
  if (flags.format === 'json') return terminal.printJson({ from, to, folder: `agents/${to}`, issue });
  // If the last rename was not committed, Git knows an earlier name. It refuses names that it does not know.
  const names = [from, ...formerSlugs.filter((name) => name !== to)];
  // Null outside of a repository.
  const tracked = gitOrNull(cwd, ['ls-files', '-z', '--', ...names.map((name) => `:(literal)agents/${name}`)]);
  const gone = names.filter((name) => tracked?.includes(`agents/${name}/`));
  const commit = tracked === null ? '' : howToCommit(cwd, gone, to);
  const address = isDue(renamed, today) ? dueAddress : aboutAddress(renamed);
  terminal.say(`Renamed ${from} to ${to}.${address}${commit}\n`);
  terminal.print(`${relative(process.cwd(), join(cwd, 'agents', to))}\n`);
}

/** A server that builds shows an agent with a number that only `catalog publish` writes. */
const dueAddress =
  ' It has no number yet, so its old address does not redirect. If it is online, rename it back, run `npx --no daily-agent-catalog publish --push`, and rename it again.';

function aboutAddress({ issue, withdrawn }: Schedule): string {
  if (issue === null) return '';
  if (withdrawn) return ` It is No. ${issue}. It is withdrawn, so neither address has a page.`;
  return ` It is No. ${issue}, and its old address redirects to the new one.`;
}

/** The command that adds the folders that are gone, and the new one, to the next commit. */
function howToCommit(cwd: string, gone: readonly string[], to: string): string {
  const here = relative(process.cwd(), cwd);
  const git = here === '' ? 'git' : `git -C ${shellWord(here)}`;
  const folders = [...gone, to].map((name) => shellWord(`agents/${name}`)).join(' ');
  return ` Add ${['it', 'both'][gone.length] ?? 'all of them'} to the next commit: ${git} add${gone.length > 0 ? ' --all' : ''} ${folders}`;
}

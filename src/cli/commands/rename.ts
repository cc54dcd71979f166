import { join, relative } from 'node:path';
import type { Command } from 'commander';
import type { Console } from '../console.ts';
import { type CommonFlags, cwdOption, formatOption, openContent, slugOf } from '../options.ts';

type Flags = Pick<CommonFlags, 'cwd' | 'format'>;

export function addRename(program: Command, terminal: Console): void {
  program
    .command('rename')
    .description('rename an agent; the old address of a published agent still works')
    .argument('<slug>', 'agent to rename, by slug or path')
    .argument('<new>', 'new slug')
    .addOption(cwdOption())
    .addOption(formatOption())
    .addHelpText(
      'after',
      '\nThe old slug of a published agent is added to its `formerSlugs`, so its old address redirects to the new one.\n' +
        '\nExamples:\n  $ catalog rename release-notes release-note-translator\n',
    )
    .action((slug: string, wanted: string, flags: Flags) => rename(slug, wanted, flags, terminal));
}

async function rename(slug: string, wanted: string, flags: Flags, terminal: Console): Promise<void> {
  const { renameAgent } = await import('../../scaffold/agent/rename.ts');
  const { cwd, content } = await openContent(flags);
  const { from, to, issue } = renameAgent(cwd, content, slugOf(slug, cwd), slugOf(wanted, cwd));
  if (flags.format === 'json') {
    terminal.printJson({ from, to, folder: `agents/${to}`, issue });
    return;
  }
  const address = issue === null ? '' : ` It is No. ${issue}, and its old address redirects to the new one.`;
  terminal.say(`Renamed ${from} to ${to}.${address} Commit both: git add --all agents/${from} agents/${to}\n`);
  terminal.print(`${relative(process.cwd(), join(cwd, 'agents', to))}\n`);
}

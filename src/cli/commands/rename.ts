import { join, relative } from 'node:path';
import type { Command } from 'commander';
import { ContentError } from '../../diagnostics/diagnostic.ts';
import type { Console } from '../console.ts';
import { type CommonFlags, cwdOption, jsonOption, openCatalog, slugOf } from '../options.ts';

type Flags = Pick<CommonFlags, 'cwd' | 'json'>;

export function addRename(program: Command, terminal: Console): void {
  program
    .command('rename')
    .description('rename the folder of an agent; a published one keeps its old address')
    .argument('<slug>', 'the name of its folder, or its path')
    .argument('<new>', 'the new name')
    .addOption(cwdOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nThe old name of a published agent is added to its `formerSlugs`, so that its old address leads to the new one.\n' +
        '\nExamples:\n  $ catalog rename release-notes release-note-translator\n',
    )
    .action((slug: string, wanted: string, flags: Flags) => rename(slug, wanted, flags, terminal));
}

async function rename(slug: string, wanted: string, flags: Flags, terminal: Console): Promise<void> {
  const { loadContent } = await import('../../catalog/load.ts');
  const { renameAgent } = await import('../../scaffold/agent/rename.ts');
  const { cwd, settings, today } = await openCatalog(flags);
  const content = loadContent(cwd, settings, today);
  const unreadable = content.diagnostics.filter((diagnostic) => diagnostic.slug === null);
  if (unreadable.length > 0) throw new ContentError(unreadable);
  const { from, to, issue } = renameAgent(cwd, content, slugOf(slug, cwd), slugOf(wanted, cwd));
  if (flags.json) {
    terminal.print(`${JSON.stringify({ from, to, folder: `agents/${to}`, issue }, null, 2)}\n`);
    return;
  }
  const address = issue === null ? '' : ` It is No. ${issue}, and its old address leads to the new one.`;
  terminal.say(`Renamed ${from} to ${to}.${address} Commit both: git add --all agents/${from} agents/${to}\n`);
  terminal.print(`${relative(process.cwd(), join(cwd, 'agents', to))}\n`);
}

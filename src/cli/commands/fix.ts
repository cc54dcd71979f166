import { plural } from '../../lib/text.ts';
import { type Console, paintedDiff } from '../console.ts';
import { type CatalogCommand, type CommonFlags, changingAgents, namedAgents, openContent } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'format'> {
  write?: boolean;
}

export function addFix(program: CatalogCommand, terminal: Console): void {
  program
    .command('fix')
    .description('show what can be fixed mechanically, and fix it with --write')
    .argument('[slug...]', 'agents to fix, by slug or path; default: all')
    .option('--write', 'change the files')
    .share('cwd')
    .formats('pretty', 'json')
    .explain(
      '\nFixes line endings, trailing spaces, final newlines, curly quotes in prompts, the case of tags, and the order of\n' +
        'front-matter keys and demo points. The prompt of a published agent keeps its wording. docs/editing.md has the rules.\n' +
        '\nExamples:\n  $ catalog fix                          show the changes as a diff\n  $ catalog fix --write\n' +
        '  $ catalog fix release-notes --write\n  $ catalog fix --format json\n',
    )
    .action((slugs: string[], flags: Flags) =>
      flags.write === true
        ? changingAgents(flags, terminal, () => fix(slugs, flags, terminal))
        : fix(slugs, flags, terminal),
    );
}

async function fix(named: string[], { write = false, ...flags }: Flags, terminal: Console): Promise<void> {
  const { painter } = await import('../../schema/diagnostics/report.ts');
  const { fixAgents } = await import('../../content/fix-and-rename.ts');
  const { cwd, content } = await openContent(flags);
  const folders = content.folders.map(({ slug }) => slug);
  const slugs = await namedAgents(named, flags.cwd, folders);
  const fixes = fixAgents(cwd, content, slugs, write);

  if (flags.format === 'json')
    return terminal.printJson({ written: write, files: fixes.map(({ file, fixes, diff }) => ({ file, fixes, diff })) });
  const paint = painter(terminal.colorData);
  for (const { file, fixes: names, diff } of fixes)
    terminal.print(`${paint('bold', file)}: ${names.join(', ')}\n${paintedDiff(diff, paint)}\n`);
  const files = plural(fixes.length, 'file');
  if (fixes.length === 0)
    terminal.say('Nothing to fix mechanically. npx --no daily-agent-catalog validate reports the rest.\n');
  else if (write) terminal.say(`Fixed ${files}. npx --no daily-agent-catalog validate reports the rest.\n`);
  else terminal.say(`${files} can be fixed. Nothing is written: run the command again with --write.\n`);
}

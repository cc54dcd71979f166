import type { Command } from 'commander';
import { ContentError } from '../../errors.ts';
import type { Console } from '../console.ts';
import { type CommonFlags, cwdOption, formatOption, openCatalog, todayOption } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'today' | 'format'> {
  all?: boolean;
}

export function addStatus(program: Command, terminal: Console): void {
  program
    .command('status')
    .description('show the schedule: published, due and coming agents, free dates, drafts, errors')
    .addOption(cwdOption())
    .addOption(todayOption())
    .option('--all', 'show all published agents, not only the newest ten')
    .addOption(formatOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ catalog status\n  $ catalog status --today 2026-12-24\n  $ catalog status --format json\n',
    )
    .action((flags: Flags) => showStatus(flags, terminal));
}

async function showStatus(flags: Flags, terminal: Console): Promise<void> {
  const { loadContent } = await import('../../catalog/load.ts');
  const { status } = await import('../../catalog/schedule.ts');
  const { statusTable } = await import('../schedule-table.ts');
  const { cwd, settings, today } = await openCatalog(flags);
  const content = loadContent(cwd, settings, today, { expectNumbers: true });
  const unreadable = content.diagnostics.filter(({ slug }) => slug === null);
  if (unreadable.length > 0) throw new ContentError(unreadable);

  const result = status(content, { today, settings });
  if (flags.format === 'json') {
    terminal.printJson(result);
    return;
  }
  const width = process.stdout.isTTY === true ? (process.stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
  terminal.print(statusTable(result, { width, all: flags.all === true, wanted: settings.queueWarningDays }));
}

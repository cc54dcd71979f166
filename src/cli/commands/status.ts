import type { Console } from '../console.ts';
import { type CatalogCommand, type CommonFlags, openContent } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'today' | 'format'> {
  all?: boolean;
  calendar?: boolean;
}

export function addStatus(program: CatalogCommand, terminal: Console): void {
  program
    .command('status')
    .description('show the schedule: published, due and scheduled agents, free dates, drafts, errors')
    .share('cwd', 'today')
    .option('--calendar', 'show the schedule as months, with gaps and free days')
    .option('--all', 'show all published agents, not only the newest ten; with --calendar, all months')
    .formats('pretty', 'json')
    .explain(
      '\nIn the calendar, a gap is a free day before a scheduled agent, and a missed day passed without an agent. Drafts are not\n' +
        'scheduled, so there are no gaps before them.\n' +
        '\nExamples:\n  $ catalog status\n  $ catalog status --calendar\n  $ catalog status --today 2026-12-24\n  $ catalog status --format json\n',
    )
    .action((flags: Flags) => showStatus(flags, terminal));
}

async function showStatus(flags: Flags, terminal: Console): Promise<void> {
  const { status } = await import('../../content/schedule.ts');
  const { installHints } = await import('../../text/install-ways.ts');
  const { installSource } = await import('../../site/install/install-source.ts');
  const { statusTable } = await import('../schedule-table.ts');
  const { diagnosticsOf } = await import('../../build/validate.ts');
  const { cwd, settings, today, content } = await openContent(flags, { expectNumbers: true, listDeleted: true });

  const found = diagnosticsOf(cwd, content, settings, { today });
  const result = { ...status(content, { today, settings, found }), hints: installHints(installSource(settings)) };
  if (flags.format === 'json') {
    terminal.printJson(result);
    return;
  }
  if (flags.calendar === true) {
    const { calendarTable } = await import('../schedule-table.ts');
    const options = { all: flags.all === true, color: terminal.colorData };
    terminal.print(calendarTable(result, options));
    return;
  }
  const width = process.stdout.isTTY === true ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
  terminal.print(statusTable(result, { width, all: flags.all === true, wanted: settings.queueWarningDays }));
}

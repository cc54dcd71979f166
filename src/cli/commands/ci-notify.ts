import type { Command } from 'commander';
import type { Console } from '../console.ts';
import { type CommonFlags, cwdOption, openCatalog, todayOption } from '../options.ts';

type Flags = Pick<CommonFlags, 'cwd' | 'today'>;

export function addAlert(program: Command, terminal: Console): void {
  program
    .command('alert')
    .description('open an issue on GitHub for each agent held back, and when the queue runs dry')
    .addOption(cwdOption())
    .addOption(todayOption())
    .addHelpText(
      'after',
      '\nRuns in GitHub Actions, by GITHUB_REPOSITORY and GITHUB_TOKEN. What has an open issue gets no second one.\n' +
        '\nExamples:\n  $ catalog alert\n  $ catalog alert --today 2026-12-24\n',
    )
    .action((flags: Flags) => runAlert(flags, terminal));
}

async function runAlert(flags: Flags, terminal: Console): Promise<void> {
  const { alertsOf } = await import('../../github/alerts.ts');
  const { issueTracker, openIssuesFor } = await import('../../github/issues.ts');
  const { planPublication } = await import('../../publish/plan.ts');
  const { plural } = await import('../../diagnostics/report.ts');
  const { cwd, settings, today } = await openCatalog(flags);
  const alerts = alertsOf(planPublication(cwd, settings, today));
  const opened = await openIssuesFor(alerts, issueTracker(process.env));
  terminal.say(`${plural(alerts.length, 'alert')}, ${plural(opened.length, 'new issue')}.\n`);
  for (const address of opened) terminal.print(`${address}\n`);
}

import type { Command } from 'commander';
import { plural } from '../../plural.ts';
import type { Console } from '../console.ts';
import { type CommonFlags, cwdOption, openCatalog, todayOption } from '../options.ts';

type Flags = Pick<CommonFlags, 'cwd' | 'today'>;

export function addCiNotify(ci: Command, terminal: Console): void {
  ci.command('notify')
    .description('open a GitHub issue for each skipped agent, and when the queue is running low')
    .addOption(cwdOption())
    .addOption(todayOption())
    .addHelpText(
      'after',
      '\nNeeds GITHUB_REPOSITORY and GITHUB_TOKEN. Does nothing for an agent that already has an open GitHub issue.\n' +
        '\nExamples:\n  $ catalog ci notify\n  $ catalog ci notify --today 2026-12-24\n',
    )
    .action((flags: Flags) => notify(flags, terminal));
}

async function notify(flags: Flags, terminal: Console): Promise<void> {
  const { alertsOf } = await import('../../github/alerts.ts');
  const { issueTracker, openIssuesFor } = await import('../../github/issues.ts');
  const { planPublication } = await import('../../publish/plan.ts');
  const { cwd, settings, today } = await openCatalog(flags);
  const alerts = alertsOf(planPublication(cwd, settings, today));
  const opened = await openIssuesFor(alerts, issueTracker(process.env));
  terminal.say(`${plural(alerts.length, 'alert')}, ${plural(opened.length, 'new GitHub issue')}.\n`);
  for (const address of opened) terminal.print(`${address}\n`);
}

import { plural, visible } from '../../lib/text.ts';
import type { Publication } from '../../publish/publish.ts';
import { ContentError } from '../../schema/diagnostics/content-error.ts';
import type { Console } from '../console.ts';
import { type CatalogCommand, type CommonFlags, noticeOldCopies, openCatalog, printForMachines } from '../options.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'today' | 'format'> {
  dryRun?: boolean;
  commit?: boolean;
  push?: boolean;
  allowDirty?: boolean;
  allowBehind?: boolean;
}

export function addPublish(program: CatalogCommand, terminal: Console): void {
  program
    .command('publish')
    .description('assign issue numbers to the agents due today')
    .share('cwd', 'today')
    .option('--dry-run', 'show what would be published, and write nothing')
    .option('--commit', 'commit the issue numbers, and nothing else')
    .option('--push', 'commit the issue numbers and push the commit')
    .option('--allow-dirty', 'allow uncommitted changes')
    .option('--allow-behind', 'allow a branch that is behind its remote, or a remote that does not answer')
    .formats('pretty', 'json', 'github')
    .explain(
      '\nExamples:\n  $ catalog publish --dry-run\n  $ catalog publish --commit\n  $ catalog publish --push --format github\n',
    )
    .action((flags: Flags) => runPublish(flags, terminal));
}

async function runPublish(flags: Flags, terminal: Console): Promise<void> {
  const { publish } = await import('../../publish/publish.ts');
  const { cwd, settings, today } = await openCatalog(flags);
  noticeOldCopies(cwd, terminal);
  const { dryRun = false, push = false, commit = push, allowDirty = false, allowBehind = false } = flags;
  const choices = { dryRun, commit, push, allowDirty, allowBehind };
  try {
    const published = await publish({ cwd, settings, today, ...choices, say: (message) => terminal.say(message) });
    await tell(published, { ...flags, dryRun, cwd }, settings.queueWarningDays, terminal);
  } catch (error) {
    if (error instanceof ContentError) await printErrors(error, { format: flags.format, cwd, terminal });
    throw error;
  }
}

async function tell(
  published: Publication,
  { dryRun, format, cwd }: Flags,
  queueWarningDays: number,
  terminal: Console,
): Promise<void> {
  const { prettyReport } = await import('../../schema/diagnostics/report.ts');
  const { howToPublish } = await import('../../publish/plan.ts');
  const { isSettledByBranch, queueText, shortQueue } = await import('../../content/schedule.ts');
  const { releases, skipped, warnings, next, queueLow } = published;
  const changed = warnings.filter(isSettledByBranch);
  for (const agent of skipped) {
    terminal.say(`Skipped: ${visible(agent.slug)}. ${howToPublish(agent)}\n`);
    if (format !== 'github') terminal.say(`\n${prettyReport(agent.errors, { color: terminal.color })}\n\n`);
  }
  if (changed.length > 0 && format !== 'github') {
    terminal.say(
      `${prettyReport(changed, { color: terminal.color })}\nThe issue numbers recorded in git were used instead.\n\n`,
    );
  }
  for (const notice of published.notices) terminal.say(`warning: ${notice}\n`);
  if (queueLow) {
    const warning = `${queueText(published)} ${shortQueue({ queueWarningDays })}`;
    terminal.say(`warning: ${warning} Start an agent with npx --no daily-agent-catalog new.\n`);
  }
  if (format === 'json') return terminal.printJson({ dryRun, ...published });
  if (format === 'pretty') {
    const { checkCatalog } = await import('../../build/validate.ts');
    const { diagnostics } = await checkCatalog(cwd, { today: published.today }, process.env);
    const told = new Set(skipped.map(({ slug }) => slug));
    const left = diagnostics.filter(({ severity, slug }) => severity === 'error' && !told.has(slug ?? ''));
    if (left.length > 0)
      terminal.say(`catalog validate also reports ${plural(left.length, 'error')} that did not stop this.\n`);
  }
  const verb = dryRun ? 'Would publish' : 'Published';
  if (releases.length === 0) {
    const earlier = published.pushed ? ' Issue numbers that were committed earlier have been pushed.' : '';
    terminal.say(`Nothing new is due on ${published.today}.${earlier}\n`);
  }
  for (const { issue, slug, title } of releases) terminal.say(`${verb} No. ${issue}: ${visible(title)} (${slug})\n`);
  if (!dryRun && releases.length > 0 && published.commit === null)
    terminal.say('The issue numbers are written but not committed. Commit them with git, or add --commit next time.\n');
  if (published.commit !== null)
    terminal.say(`Committed as ${published.commit.slice(0, 12)}${published.pushed ? ' and pushed' : ''}.\n`);
  terminal.say(
    next === null
      ? 'No agent is scheduled next. Start one with npx --no daily-agent-catalog new.\n'
      : `Next: No. ${next.issue} on ${next.date}, ${visible(next.title ?? next.slug)}.\n`,
  );
  // Last: the files of GitHub may be missing, and the numbers are written.
  if (format === 'github') await tellGitHub(published, cwd, terminal);
}

/** Annotations on skipped agents, a summary, and the outputs that later steps of a workflow need. */
async function tellGitHub(published: Publication, cwd: string, terminal: Console): Promise<void> {
  const { writeOutputs, writeSummary, publicationSummary } = await import('../../publish/github.ts');
  const { head } = await import('../../lib/git.ts');
  const { isSettledByBranch } = await import('../../content/schedule.ts');
  const diagnostics = [
    ...published.skipped.flatMap(({ errors }) => errors),
    ...published.warnings.filter(isSettledByBranch),
  ];
  await printForMachines({ diagnostics }, { format: 'github', cwd, terminal });
  writeSummary(process.env, publicationSummary(published));
  writeOutputs(process.env, {
    today: published.today,
    commit: head(cwd) ?? '',
    published: String(published.releases.length),
    attention: String(published.skipped.length > 0 || published.queueLow),
  });
}

/** Prints the reason of a failure for programs. The error itself is also printed to stderr. */
async function printErrors(error: ContentError, telling: Parameters<typeof printForMachines>[1]): Promise<void> {
  await printForMachines(error, telling);
  if (telling.format !== 'github') return;
  const { writeSummary, validationSummary } = await import('../../publish/github.ts');
  const agents = new Set(error.diagnostics.map(({ slug }) => slug)).size;
  writeSummary(process.env, validationSummary(error.diagnostics, agents));
}

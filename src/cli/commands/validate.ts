import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Diagnostic, OperationError } from '../../diagnostics/diagnostic.ts';
import type { ReportFormat } from '../../diagnostics/report.ts';
import { nearest } from '../../schema/suggestions.ts';
import { visible } from '../../text-safety/printable.ts';
import type { Console } from '../console.ts';
import { type CommonFlags, cwdOption, formatOf, formatOption, jsonOption, slugOf, todayOption } from '../options.ts';

interface Flags extends Omit<CommonFlags, 'out'> {
  format?: ReportFormat;
}

export function addValidate(program: Command, terminal: Console): void {
  program
    .command('validate')
    .description('check every agent, or those named, and report everything that is wrong')
    .argument('[slug...]', 'the agents to report on, by slug or path; default: all')
    .addOption(cwdOption())
    .addOption(todayOption())
    .addOption(formatOption('how to print what is found'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ catalog validate\n  $ catalog validate release-notes\n  $ catalog validate agents/release-notes/agent.md\n  $ catalog validate --format json\n',
    )
    .action((slugs: string[], flags: Flags) => validate(slugs, flags, terminal));
}

async function validate(named: string[], flags: Flags, terminal: Console): Promise<void> {
  const { hasErrors, plural } = await import('../../diagnostics/report.ts');
  const { checkCatalog } = await import('../../validate.ts');
  const { folders, diagnostics } = await checkCatalog(resolve(flags.cwd), flags, process.env, (task, done, total) => {
    if (formatOf(flags) !== 'json') terminal.progress(task, done, total);
  });
  const slugs = [...new Set(named.map((argument) => slugOf(argument, flags.cwd)))];
  // A published agent that was deleted has no folder, and an error all the same.
  const known = new Set([...folders, ...diagnostics.map(({ slug }) => slug)]);
  const unknown = slugs.filter((slug) => !known.has(slug));
  if (unknown.length > 0) throw new OperationError(unknown.map((slug) => noAgent(slug, folders)).join('\nerror: '));
  const wanted = diagnostics.filter(({ slug }) => slugs.length === 0 || slug === null || slugs.includes(slug));

  const format = formatOf(flags);
  await print(wanted, format, resolve(flags.cwd), terminal);
  const count = slugs.length === 0 ? folders.length : slugs.length;
  if (format === 'github') {
    const { writeSummary } = await import('../../github/step-files.ts');
    const { validationSummary } = await import('../../github/summaries.ts');
    writeSummary(process.env, validationSummary(wanted, count));
  }
  if (hasErrors(wanted)) terminal.exitCode = 1;
  else if (format === 'pretty') {
    terminal.say(`${plural(count, 'agent')} checked, no errors.\n`);
  }
}

function noAgent(slug: string, folders: readonly string[]): string {
  const meant = nearest(slug, folders);
  return `There is no agent ${visible(slug)} in agents/.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
}

async function print(
  diagnostics: readonly Diagnostic[],
  format: ReportFormat,
  cwd: string,
  terminal: Console,
): Promise<void> {
  const { githubReport, jsonReport, prettyReport } = await import('../../diagnostics/report.ts');
  const { repositoryPrefix } = await import('../../github/repository-prefix.ts');
  if (format === 'json') terminal.printJson(jsonReport(diagnostics));
  else if (diagnostics.length === 0) return;
  else if (format === 'github') {
    terminal.printCommands(`${githubReport(diagnostics, repositoryPrefix(cwd, process.env))}\n`);
  } else terminal.print(`${prettyReport(diagnostics, { color: terminal.colorData })}\n`);
}

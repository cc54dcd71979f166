import { type Command, Option } from 'commander';
import type { Console } from '../console.ts';
import { OperationError } from '../diagnostics.ts';
import { type ReportFormat, reportFormats } from '../report.ts';
import { type CommonFlags, cwdOption, jsonOption, openCatalog, todayOption } from './options.ts';

interface Flags extends Omit<CommonFlags, 'out'> {
  format?: ReportFormat;
}

export function addValidate(program: Command, terminal: Console): void {
  program
    .command('validate')
    .description('check every agent, or those named, and report everything that is wrong')
    .argument('[slug...]', 'the agents to report on; default: all')
    .addOption(cwdOption())
    .addOption(todayOption())
    .addOption(new Option('--format <format>', 'how to print what is found').choices(reportFormats))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ catalog validate\n  $ catalog validate release-notes\n  $ catalog validate --format json\n',
    )
    .action((slugs: string[], flags: Flags) => validate(slugs, flags, terminal));
}

async function validate(slugs: string[], flags: Flags, terminal: Console): Promise<void> {
  const { validateCatalog } = await import('../validate.ts');
  const { hasErrors, jsonReport, plural, prettyReport } = await import('../report.ts');
  const { cwd, settings, today } = openCatalog(flags);
  const { folders, diagnostics } = validateCatalog(cwd, settings, today);

  const unknown = slugs.filter((slug) => !folders.includes(slug));
  if (unknown.length > 0) throw new OperationError(`There is no agent ${unknown.join(', ')} in agents/.`);
  const wanted =
    slugs.length === 0 ? diagnostics : diagnostics.filter(({ slug }) => slug !== null && slugs.includes(slug));

  const format = flags.format ?? (flags.json ? 'json' : 'pretty');
  if (format === 'json') terminal.print(`${jsonReport(wanted)}\n`);
  else if (wanted.length > 0) terminal.print(`${prettyReport(wanted, { color: terminal.color })}\n`);
  if (format === 'pretty' && !hasErrors(wanted)) {
    terminal.say(`${plural(slugs.length === 0 ? folders.length : slugs.length, 'agent')} checked, no errors.\n`);
  }
  if (hasErrors(wanted)) terminal.exitCode = 1;
}

import type { Command } from 'commander';
import type { ParsedFolder } from '../../catalog/parse/parse.ts';
import type { Console } from '../console.ts';
import { type CommonFlags, cwdOption, formatOption, openCatalog, slugOf } from '../options.ts';

type Flags = Pick<CommonFlags, 'cwd' | 'format'>;

export function addEval(program: Command, terminal: Console): void {
  program
    .command('eval')
    .description('grade the recorded answers of agents with their checks, offline')
    .argument('[slug...]', 'agents to grade, by slug or path; default: all that have checks')
    .addOption(cwdOption())
    .addOption(formatOption(['pretty', 'json', 'github']))
    .addHelpText(
      'after',
      '\nThe cases and checks of an agent are in evals/checks.yaml, its recorded answers in evals/recordings/.\n' +
        '\nExit codes: 0 all answers were graded, also if some fail their checks; 1 the files of an agent have errors.\n' +
        '\nExamples:\n  $ catalog eval\n  $ catalog eval release-notes\n  $ catalog eval --format json\n',
    )
    .action((slugs: string[], flags: Flags) => evaluate(slugs, flags, terminal));
}

async function evaluate(named: string[], flags: Flags, terminal: Console): Promise<void> {
  const { plural } = await import('../../diagnostics/report.ts');
  const { evalReport } = await import('../eval-report.ts');
  const folders = await readFolders(named, flags);
  const graded = folders.flatMap(({ slug, agent }) => (agent?.evals == null ? [] : [{ slug, evals: agent.evals }]));
  const broken = folders.filter(({ agent, texts }) => agent === null && texts.has('evals/checks.yaml'));
  if (flags.format === 'json') {
    terminal.printJson({
      agents: graded.map(({ slug, evals }) => ({ slug, ...evals })),
      broken: broken.map(({ slug }) => slug),
    });
  } else {
    for (const agent of graded) terminal.print(`${evalReport(agent)}\n`);
  }
  if (flags.format === 'github') {
    const { writeSummary } = await import('../../github/step-files.ts');
    const { evalSummary } = await import('../../github/summaries.ts');
    writeSummary(process.env, evalSummary(graded));
  }
  for (const { slug } of broken) terminal.say(`${slug} was not graded: see catalog validate ${slug}\n`);
  if (broken.length > 0) terminal.exitCode = 1;
  const answers = graded.reduce((sum, { evals }) => sum + evals.answers.length, 0);
  terminal.say(`${plural(answers, 'recorded answer')} of ${plural(graded.length, 'agent')} graded.\n`);
}

/** Reads the folders of the named agents, or of all, without git: grades depend only on their files. */
async function readFolders(named: string[], flags: Flags): Promise<readonly ParsedFolder[]> {
  const { checkContent } = await import('../../catalog/load.ts');
  const { readAgents } = await import('../../catalog/read.ts');
  const { refuseUnknownAgents } = await import('../unknown-agents.ts');
  const { cwd, settings, today } = await openCatalog(flags);
  const sources = readAgents(cwd);
  const slugs = new Set(named.map((argument) => slugOf(argument, flags.cwd)));
  refuseUnknownAgents(
    [...slugs],
    sources.map(({ slug }) => slug),
  );
  const wanted = sources.filter(({ slug }) => slugs.size === 0 || slugs.has(slug));
  return checkContent(wanted, settings, today).folders;
}

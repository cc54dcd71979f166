import { Option } from 'commander';
import type { ReadAgent } from '../../content/evals/record.ts';
import type { ParsedFolder } from '../../content/parse/parse.ts';
import { UsageError } from '../../lib/errors.ts';
import { plural } from '../../lib/text.ts';
import type { Console } from '../console.ts';
import { type CatalogCommand, type CommonFlags, openCatalog, slugOf } from '../options.ts';
import {
  addRecordOptions,
  type RecordFlags,
  recordAnswers,
  recordHelp,
  refuseRecordOptions,
} from '../record-answers.ts';

interface Flags extends Pick<CommonFlags, 'cwd' | 'format'>, RecordFlags {
  record?: boolean;
  export?: 'promptfoo';
  fail?: boolean;
}

const noChecks = 'There are no checks yet. Write them in evals/checks.yaml, in the folder of an agent.\n';

export function addEval(program: CatalogCommand, terminal: Console): void {
  const command = program
    .command('eval')
    .description('grade the recorded answers of agents with their checks, offline, or record answers')
    .argument('[slug...]', 'agents, by slug or path; default: all that have checks')
    .share('cwd')
    .formats('pretty', 'json', 'github')
    .share('json')
    .addOption(new Option('--export <tool>', 'print the cases for another tool instead').choices(['promptfoo']))
    .option('--fail', 'exit with 1 if a recorded answer fails a check, as a gate')
    .option('--record', 'ask a model for the answers that are missing, and store them');
  addRecordOptions(command);
  command
    .explain(
      '\nThe cases and checks of an agent are in evals/checks.yaml, its recorded answers in evals/recordings/.\n' +
        '\nExit codes: 0 all answers were graded, even if some fail their checks; 1 the files of an agent have errors, an\nanswer could not be recorded or, with --fail, an answer fails a check.\n' +
        recordHelp +
        '\nExamples:\n  $ catalog eval\n  $ catalog eval release-notes\n  $ catalog eval --fail\n  $ catalog eval --format json\n' +
        '  $ catalog eval --record --model llama3.1:8b --url http://localhost:11434/v1   Ollama\n' +
        '  $ CATALOG_EVAL_KEY=… catalog eval --record --model gpt-4o-mini --without-prompt\n' +
        '  $ catalog eval --record --api anthropic --model claude-haiku-4-5\n' +
        "  $ catalog eval --record --model gpt-4o --command 'llm -m gpt-4o'\n" +
        '  $ catalog eval release-notes --record --model "ChatGPT, free plan" --paste\n' +
        '  $ catalog eval --export promptfoo --model ollama:chat:llama3.1:8b > promptfooconfig.json\n',
    )
    .action((slugs: string[], flags: Flags) => run(slugs, flags, command, terminal));
}

async function run(named: string[], flags: Flags, command: CatalogCommand, terminal: Console): Promise<void> {
  if (flags.fail === true && (flags.record === true || flags.export !== undefined))
    throw new UsageError('--fail is about recorded answers: leave out --record and --export.');
  if (flags.export !== undefined) return exportCases(named, flags, terminal);
  if (flags.record !== true) refuseRecordOptions(command);
  if (flags.record !== true) return evaluate(named, flags, terminal);
  const { agents, ...catalog } = await readAgentsOf(named, flags);
  const wanted = agents.filter(({ parsed }) => named.length > 0 || parsed.texts().has('evals/checks.yaml'));
  if (wanted.length === 0) terminal.say(noChecks);
  await recordAnswers(catalog, wanted, flags, terminal);
}

async function exportCases(named: string[], flags: Flags, terminal: Console): Promise<void> {
  const { promptfooConfig } = await import('../../content/evals/promptfoo.ts');
  const { agents } = await readAgentsOf(named, flags);
  const withCases = agents.flatMap(({ parsed: { slug, agent } }) => {
    const { prompt = '', evals = null } = agent?.texts() ?? {};
    return evals === null ? [] : [{ slug, prompt, cases: evals.cases }];
  });
  reportBroken(agents, 'exported', terminal);
  const { config, left } = promptfooConfig(withCases, flags.model === undefined ? [] : [flags.model]);
  terminal.printJson(config);
  if (left.length > 0) {
    const kinds = [...new Set(left)].join(', ');
    terminal.say(`Left out ${plural(left.length, 'check')} that promptfoo does not have: ${kinds}.\n`);
  }
  if (flags.model === undefined)
    terminal.say('Name a provider with --model, or when you run it: promptfoo eval -c <file> -r <provider>.\n');
}

async function evaluate(named: string[], flags: Flags, terminal: Console): Promise<void> {
  const { evalReport } = await import('../record-answers.ts');
  const { agents } = await readAgentsOf(named, flags);
  const folders = agents.map(({ parsed }) => parsed);
  const graded = folders.flatMap(({ slug, agent }) => {
    const evals = agent?.texts().evals ?? null;
    return evals === null ? [] : [{ slug, evals }];
  });
  if (flags.format === 'json') {
    terminal.printJson({
      agents: graded.map(({ slug, evals }) => ({ slug, ...evals })),
      broken: brokenOf(agents),
    });
  } else {
    for (const agent of graded) terminal.print(`${evalReport(agent)}\n`);
  }
  if (flags.format === 'github') {
    const { writeSummary } = await import('../../publish/github.ts');
    const { evalSummary } = await import('../../publish/github.ts');
    writeSummary(process.env, evalSummary(graded));
  }
  reportBroken(agents, 'graded', terminal);
  const answers = graded.flatMap(({ evals }) => evals.answers);
  terminal.say(`${plural(answers.length, 'recorded answer')} of ${plural(graded.length, 'agent')} graded.\n`);
  const failing = answers.filter(({ results }) => results.some(({ failure }) => failure !== null));
  if (flags.fail === true && failing.length > 0) {
    terminal.say(`Answers that fail a check: ${failing.length}.\n`);
    terminal.exitCode = 1;
  }
  if (graded.length + brokenOf(agents).length === 0) terminal.say(noChecks);
}

/** Returns the agents that have cases, and errors. */
function brokenOf(agents: readonly ReadAgent[]): string[] {
  const broken = agents.filter(({ parsed: { agent, texts } }) => agent === null && texts().has('evals/checks.yaml'));
  return broken.map(({ source }) => source.slug);
}

function reportBroken(agents: readonly ReadAgent[], done: string, terminal: Console): void {
  const broken = brokenOf(agents);
  for (const slug of broken) terminal.say(`${slug} was not ${done}: see catalog validate ${slug}\n`);
  if (broken.length > 0) terminal.exitCode = 1;
}

/** Reads the named agents, or all, without git: grades depend only on their files. */
async function readAgentsOf(named: string[], flags: Flags) {
  const { checkContent } = await import('../../content/load.ts');
  const { readAgents } = await import('../../content/read.ts');
  const { refuseUnknownAgents } = await import('../unknown-agents.ts');
  const { cwd, settings, today } = await openCatalog(flags);
  const sources = readAgents(cwd);
  const slugs = new Set(named.map((argument) => slugOf(argument, flags.cwd)));
  refuseUnknownAgents(
    [...slugs],
    sources.map(({ slug }) => slug),
  );
  const wanted = sources.filter(({ slug }) => slugs.size === 0 || slugs.has(slug));
  const { folders } = checkContent(wanted, settings, today);
  const agents = wanted.map((source, index): ReadAgent => ({ source, parsed: folders[index] as ParsedFolder }));
  return { cwd, settings, today, agents };
}

import { buffer } from 'node:stream/consumers';
import { InvalidArgumentError, Option } from 'commander';
import type { ParsedFolder } from '../../content/parse/parse.ts';
import { UsageError } from '../../lib/errors.ts';
import { inTurn } from '../../lib/lazy.ts';
import { columnsText, plural } from '../../lib/text.ts';
import type { Evals, Recorded } from '../../schema/evals.ts';
import { failureLines, scoreOf, scoreTable } from '../../site/score-table.ts';
import type { Console } from '../console.ts';
import {
  atMostOneOf,
  type CatalogCommand,
  type CommonFlags,
  changingAgents,
  namedAgents,
  openCatalog,
  wholeNumber,
} from '../options.ts';

/** The options of `catalog eval --record`. */
interface RecordFlags {
  model?: string;
  api: 'openai' | 'anthropic';
  url?: string;
  command?: string;
  paste?: boolean;
  withoutPrompt?: boolean;
  ask?: string;
  stale?: boolean;
  force?: boolean;
  setting?: NonNullable<Recorded['settings']>;
  note?: string;
  concurrency: number;
  timeout: number;
}

const recordHelp =
  '\n--record asks an API (--api, --url), a command (--command) or you (--paste, one answer per run). It keeps existing answers\n' +
  'unless you give --stale or --force, so after an interruption, run it again. Keys come from the environment and are never\n' +
  'stored: CATALOG_EVAL_KEY for any service; without --url also OPENAI_API_KEY or ANTHROPIC_API_KEY.\n';

function addRecordOptions(command: CatalogCommand): void {
  command
    .option(
      '--model <name>',
      'with --record: the model, as its provider names it; with --export: the provider in promptfoo',
    )
    .addOption(
      new Option('--api <api>', 'with --record: the API of the service')
        .choices(['openai', 'anthropic'])
        .default('openai'),
    )
    .option('--url <url>', 'with --record: the service, up to /v1 (default: OpenAI or Anthropic)')
    .option(
      '--command <command>',
      'with --record: a shell command, which gets the prompt on stdin and prints the answer',
    )
    .option('--paste', 'with --record: print the prompt, and read the answer from stdin until its end')
    .option('--without-prompt', 'with --record: also record answers without the prompt')
    .option('--ask <sentence>', 'with --record: the sentence before the input if there is no prompt (default: none)')
    .option('--stale', 'with --record: replace answers that are out of date')
    .option('--force', 'with --record: replace all answers')
    .option(
      '--setting <name=value>',
      'with --record: a field of the request, such as temperature=0; repeatable',
      parseSetting,
    )
    .option('--note <text>', 'with --record: how the answers were made, which is stored with them')
    .option('--concurrency <n>', 'with --record: questions at a time', wholeNumber(1, 32), 4)
    .option('--timeout <seconds>', 'with --record: for one answer', wholeNumber(1, 3600), 300);
}

/** Throws UsageError if an option of --record is given, since it would have no effect. */
function refuseRecordOptions(command: CatalogCommand, flags: Pick<Flags, 'export'>): void {
  const own = command.options.filter(
    ({ description, long }) =>
      description.startsWith('with --record') && !(long === '--model' && flags.export !== undefined),
  );
  const useless = own.find((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
  if (useless !== undefined)
    throw new UsageError(`${useless.long} needs --record${useless.long === '--model' ? ' or --export' : ''}.`);
}

/** Records the answers of a model, and reports what was recorded. */
async function recordAnswers(named: string[], flags: Flags, terminal: Console): Promise<void> {
  const { record, openModel } = await import('../../content/evals/record.ts');
  const { recorded } = await import('../../schema/evals.ts');
  const { valueFindings } = await import('../../content/text-checks.ts');
  const { agents, cwd, settings, today } = await readAgentsOf(named, flags);
  const chosen = agents.filter(({ texts }) => named.length > 0 || texts().has('evals/checks.yaml'));
  if (chosen.length === 0) terminal.say(noChecks);
  const { model: name, url, command, ask, note, setting, force, stale, paste = false } = flags;
  if (name === undefined) throw new UsageError('--record needs --model, the name of the model.');
  const about = { ...(note !== undefined && { note }), ...(setting !== undefined && { settings: setting }) };
  const withoutPrompt = ask === undefined ? undefined : { model: name, date: today, ask };
  const stored = { model: name, ...about, withoutPrompt };
  const { error } = recorded.partial().safeParse(stored);
  for (const { path, message } of error?.issues ?? []) {
    const option = String(path[0]).replace('settings', 'setting').replace('withoutPrompt', 'ask');
    throw new UsageError(`--${option} has to be ${message}.`);
  }
  const [finding] = valueFindings(stored, () => ({ line: 1, column: 1, length: 1 }));
  if (finding !== undefined)
    throw new UsageError(`What --model, --ask, --note or --setting says is public. ${finding.message} Leave it out.`);
  atMostOneOf({ '--url': url, '--command': command, '--paste': flags.paste });
  if (setting !== undefined && (command ?? flags.paste) !== undefined)
    throw new UsageError('--setting is for APIs only. Use --note to describe other settings.');
  const person = { name, made: 'pasted' as const, ask: (message: string) => askPerson(message, name, terminal) };
  const model = paste ? person : openModel(name, flags, process.env);
  // Answers arrive at the same time, and this process counts as one owner of the lock.
  const oneAtATime = inTurn();
  const outcome = await record(chosen, model, {
    cwd,
    settings,
    today,
    about,
    withoutPrompt: flags.withoutPrompt === true,
    ask,
    replace: force ? 'all' : stale ? 'stale' : 'none',
    concurrency: flags.concurrency,
    most: paste ? 1 : Number.POSITIVE_INFINITY,
    onProgress: (task, done, total) => terminal.progress(task, done, total),
    changing: (write) => oneAtATime(() => changingAgents({ cwd }, terminal, write)),
  });
  const { failures, tokens } = outcome;
  if (failures.length > 0) terminal.exitCode = 1;
  if (flags.format === 'json') terminal.printJson(outcome);
  for (const { slug, case: name, message } of failures)
    terminal.say(`${name === null ? slug : `${slug}, ${name}`}: ${message}\n`);
  const used = tokens.input + tokens.output > 0 ? ` (${tokens.input} tokens in, ${tokens.output} out)` : '';
  terminal.say(`Recorded ${plural(outcome.recorded, 'answer')}${used}. ${outcome.kept} existed already.\n`);
  if (outcome.stale > 0)
    terminal.say(`Out of date: ${plural(outcome.stale, 'existing answer')}. To replace them, add --stale.\n`);
  if (outcome.left > 0) terminal.say(`Still missing: ${plural(outcome.left, 'answer')}. Run the command again.\n`);
}

/** Prints a message to stdout, and reads the answer from stdin. */
async function askPerson(message: string, name: string, terminal: Console) {
  terminal.print(message.endsWith('\n') ? message : `${message}\n`);
  terminal.say(
    `\nGive the text above to ${name} in a new chat. Then paste the answer here, and press Enter and Ctrl-D (on Windows, Ctrl-Z and Enter).\n\n`,
  );
  return { text: (await buffer(process.stdin)).toString('utf8') };
}

function parseSetting(text: string, before: NonNullable<Recorded['settings']> = {}): typeof before {
  const [, name, value = ''] = /^([\w.-]+)=(.*)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('It must be written as name=value.');
  // JSON allows no number with a leading zero, so such a value stays a text.
  const isJson = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/.test(value);
  return { ...before, [name]: isJson ? JSON.parse(value) : value };
}

/** The scores of an agent for people: a table of models and cases, then the checks that failed. */
function evalReport({ slug, evals }: { slug: string; evals: Evals }): string {
  const { cases, rows } = scoreTable(evals);
  const table = [
    [slug, ...cases],
    ...rows.map(({ model, answers }) => [`  ${model}`, ...answers.map(scoreOf)]),
    ...(rows.length === 0 ? [['  no recorded answers']] : []),
  ];
  return `${[columnsText(table), ...failureLines(evals).map((line) => `  failed: ${line}`), ...counterexampleReport(evals)].join('\n')}\n`;
}

/** How many wrong answers fail as they should, and a line for each other one. */
function counterexampleReport(evals: Evals): string[] {
  const { total, passing } = counterexamplesOf(evals);
  if (total === 0) return [];
  return [
    `  counterexamples that fail their check: ${total - passing.length} of ${total}`,
    ...passing.map(({ name, caseName, kind }) => `  toothless: ${name}, ${caseName}, passes ${kind}`),
  ];
}

interface Flags extends Pick<CommonFlags, 'cwd' | 'format'>, RecordFlags {
  record?: boolean;
  export?: 'promptfoo';
  fail?: boolean;
  summary?: boolean;
  mutate?: boolean;
}

const noChecks = 'There are no checks yet. Write them in evals/checks.yaml, in the folder of an agent.\n';

export function addEval(program: CatalogCommand, terminal: Console): void {
  const command = program
    .command('eval')
    .description('grade the recorded answers of agents with their checks, offline, or record answers')
    .argument('[slug...]', 'agents, by slug or path; default: all that have checks')
    .share('cwd')
    .formats('pretty', 'json', 'github')
    .addOption(new Option('--export <tool>', 'print the cases for another tool instead').choices(['promptfoo']))
    .option('--fail', 'exit with 1 if a recorded answer fails a check, as a gate')
    .option('--summary', 'print figures of all answers and checks instead of tables')
    .option('--mutate', 'change the sample outputs mechanically, and print the changes that no check notices')
    .option('--record', 'ask a model for the answers that are missing, and store them');
  addRecordOptions(command);
  command
    .explain(
      '\nThe cases and checks of an agent are in evals/checks.yaml, its recorded answers in evals/recordings/.\n' +
        '\nExit codes: 0 all answers were graded, even if some fail their checks; 1 the files of an agent have errors, a\ncounterexample passes its check, an answer could not be recorded or, with --fail, an answer fails a check.\n' +
        recordHelp +
        '\nExamples:\n  $ catalog eval\n  $ catalog eval release-notes\n  $ catalog eval --fail\n  $ catalog eval --summary\n  $ catalog eval --mutate release-notes\n  $ catalog eval --format json\n' +
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
  const { record, summary, mutate, fail } = flags;
  atMostOneOf({
    '--record': record,
    '--export': flags.export,
    '--summary': summary,
    '--mutate': mutate,
    '--fail': fail,
  });
  if (flags.record !== true) refuseRecordOptions(command, flags);
  if (flags.export !== undefined) return exportCases(named, flags, terminal);
  if (flags.summary === true || flags.mutate === true) return challengeChecks(named, flags, terminal);
  return record === true ? recordAnswers(named, flags, terminal) : evaluate(named, flags, terminal);
}

async function exportCases(named: string[], flags: Flags, terminal: Console): Promise<void> {
  const { promptfooConfig } = await import('../../content/evals/promptfoo.ts');
  const { agents } = await readAgentsOf(named, flags);
  reportLeftOut(agents, 'exported', terminal);
  const cases = withEvals(agents).map(({ slug, prompt, evals }) => ({ slug, prompt, cases: evals.cases }));
  const { config, left } = promptfooConfig(cases, flags.model === undefined ? [] : [flags.model]);
  terminal.printJson(config);
  if (left.length > 0) {
    const kinds = [...new Set(left)].join(', ');
    terminal.say(`Left out ${plural(left.length, 'check')} that promptfoo does not have: ${kinds}.\n`);
  }
  if (flags.model === undefined)
    terminal.say('Name a provider with --model, or when you run it: promptfoo eval -c <file> -r <provider>.\n');
}

async function evaluate(named: string[], flags: Flags, terminal: Console): Promise<void> {
  const { agents } = await readAgentsOf(named, flags);
  const graded = withEvals(agents);
  if (flags.format === 'json') {
    const results = graded.map(({ slug, evals }) => ({ slug, ...evals }));
    terminal.printJson({ agents: results, broken: brokenOf(agents) });
  } else for (const agent of graded) terminal.print(`${evalReport(agent)}\n`);
  if (flags.format === 'github') {
    const { writeSummary, evalSummary } = await import('../../publish/github.ts');
    writeSummary(process.env, evalSummary(graded));
  }
  reportLeftOut(agents, 'graded', terminal);
  if (graded.some(({ evals }) => counterexamplesOf(evals).passing.length > 0)) terminal.exitCode = 1;
  const answers = graded.flatMap(({ evals }) => evals.answers);
  terminal.say(`${plural(answers.length, 'recorded answer')} of ${plural(graded.length, 'agent')} graded.\n`);
  const failing = answers.filter(({ results }) => results.some(({ failure }) => failure !== null));
  if (flags.fail === true && failing.length > 0) {
    terminal.say(`Answers that fail a check: ${failing.length}.\n`);
    terminal.exitCode = 1;
  }
}

/** Prints the figures of --summary or of --mutate. */
async function challengeChecks(named: string[], flags: Flags, terminal: Console): Promise<void> {
  const { challenge, summaryOf } = await import('../../content/evals/challenge.ts');
  const { agents, sources } = await readAgentsOf(named, flags);
  const graded = withEvals(agents);
  reportLeftOut(agents, 'graded', terminal);
  if (flags.mutate === true) {
    const challenged = graded.flatMap(({ slug, evals, sampleOutput }) => {
      const sample = evals.cases.find(({ name }) => name === 'sample');
      return sample === undefined ? [] : [{ slug, ...challenge(sample, sampleOutput) }];
    });
    if (flags.format === 'json') return terminal.printJson({ agents: challenged });
    for (const { slug, kinds, passing } of challenged) {
      const rows = kinds.map(({ kind, all, failing }) => `  ${kind.padEnd(9)}  ${failing} of ${all} fail a check`);
      const lines = passing.map(({ kind, change }) => `  passes: ${kind}, ${change}`);
      terminal.print(`${[slug, ...rows, ...lines].join('\n')}\n\n`);
    }
    return;
  }
  const others = graded.map(({ slug }) => {
    const other = sources.find((source) => source.slug !== slug && source.files.some(isSampleOutput));
    return other?.files.find(isSampleOutput)?.bytes?.toString('utf8') ?? '';
  });
  const summary = summaryOf(graded, others);
  if (flags.format === 'json') return terminal.printJson(summary);
  const { withPrompt, withoutPrompt, counterexamples } = summary;
  const rate = withoutPrompt.checks === 0 ? 0 : Math.round((withoutPrompt.missed / withoutPrompt.checks) * 100);
  terminal.print(
    [
      `agents                                  ${summary.agents}`,
      `cases                                   ${summary.cases}`,
      `recorded answers                        ${summary.answers}`,
      `models with a stated version            ${summary.namedModels}`,
      `answers of models that are not stated   ${summary.notStated}`,
      `checks missed with the prompt           ${withPrompt.missed} of ${withPrompt.checks}`,
      `checks missed without the prompt        ${withoutPrompt.missed} of ${withoutPrompt.checks} (${rate} %)`,
      `answers without the prompt that pass    ${withoutPrompt.passed} of ${withoutPrompt.answers}`,
      `counterexamples that fail their check   ${counterexamples.failing} of ${counterexamples.all}`,
      `checks that no counterexample fails     ${summary.unproven} of ${summary.checks}`,
      `checks that nothing fails               ${summary.vacuous.length} of ${summary.checks}`,
      ...summary.vacuous.map(
        ({ slug, case: name, kind, why }) =>
          `  nothing fails: ${slug}, ${name}, ${kind}${why === null ? '' : `: ${why}`}`,
      ),
      '',
    ].join('\n'),
  );
}

function isSampleOutput({ name, bytes }: { name: string; bytes: Buffer | null }): boolean {
  return name === 'sample-output.txt' && bytes !== null;
}

/** The agents with cases and without errors, each with the texts that checks are about. */
function withEvals(agents: readonly ParsedFolder[]) {
  return agents.flatMap(({ slug, agent }) => {
    const { evals = null, prompt = '', sampleOutput = '' } = agent?.texts() ?? {};
    return evals === null ? [] : [{ slug, evals, prompt, sampleOutput }];
  });
}

/** Returns the agents that have cases, and errors. */
function brokenOf(agents: readonly ParsedFolder[]): string[] {
  const broken = agents.filter(({ agent, texts }) => agent === null && texts().has('evals/checks.yaml'));
  return broken.map(({ slug }) => slug);
}

/** Reports the agents that were left out because of errors, or that no agent has checks. */
function reportLeftOut(agents: readonly ParsedFolder[], done: string, terminal: Console): void {
  const broken = brokenOf(agents);
  if (withEvals(agents).length + broken.length === 0) terminal.say(noChecks);
  for (const slug of broken)
    terminal.say(`${slug} was not ${done}: run npx --no daily-agent-catalog validate ${slug}\n`);
  if (broken.length > 0) terminal.exitCode = 1;
}

/** Reads the named agents, or all, without git: grades depend only on their files. */
async function readAgentsOf(named: string[], flags: Flags) {
  const { checkContent } = await import('../../content/load.ts');
  const { readAgents } = await import('../../content/read.ts');
  const { cwd, settings, today } = await openCatalog(flags);
  const sources = readAgents(cwd);
  const folders = sources.map(({ slug }) => slug);
  const slugs = await namedAgents(named, flags.cwd, folders);
  const chosen = sources.filter(({ slug }) => slugs.length === 0 || slugs.includes(slug));
  const checked = checkContent(chosen, settings, today).folders;
  const agents = chosen.map((source, index) => ({ ...(checked[index] as ParsedFolder), source }));
  return { cwd, settings, today, agents, sources };
}

/** Counts the wrong answers of an agent. Those that pass the check that names them are in `passing`. */
function counterexamplesOf({ cases }: Evals) {
  const all = cases.flatMap((one) =>
    [one, ...one.turns].flatMap(({ counterexamples }) =>
      counterexamples.map(({ name, check, results }) => ({ name, caseName: one.name, ...results[check] })),
    ),
  );
  return { total: all.length, passing: all.filter(({ failure }) => failure === null) };
}

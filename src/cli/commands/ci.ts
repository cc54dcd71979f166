import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Option } from 'commander';
import { parseBoundedJson } from '../../lib/bounded.ts';
import { explaining, OperationError, UsageError } from '../../lib/errors.ts';
import { plural } from '../../lib/text.ts';
import type { Push } from '../../publish/intake.ts';
import type { Console } from '../console.ts';
import {
  type CatalogCommand,
  type CommonFlags,
  cacheFolder,
  changingAgents,
  openCatalog,
  openContent,
  wholeNumber,
} from '../options.ts';

interface IntakeFlags extends Pick<CommonFlags, 'cwd' | 'today'> {
  reply?: Push;
}

function addCiIntake(ci: CatalogCommand, terminal: Console): void {
  ci.command('intake')
    .description('turn a GitHub issue with the form "Propose an agent" into a draft')
    .share('cwd', 'today')
    .addOption(
      new Option(
        '--reply <state>',
        'answer in the GitHub issue, and open a pull request once the draft is pushed',
      ).choices(['pushed', 'changed', 'failed'] satisfies Push[]),
    )
    .explain(
      '\nReads the event in GITHUB_EVENT_PATH, and writes the draft into agents/. --reply needs GITHUB_REPOSITORY and GITHUB_TOKEN.\n' +
        '\nExamples:\n  $ catalog ci intake\n  $ catalog ci intake --reply pushed\n',
    )
    .action((flags: IntakeFlags) => intake(flags, terminal));
}

async function intake(flags: IntakeFlags, terminal: Console): Promise<void> {
  const { Proposal } = await import('../../publish/intake.ts');
  const { GitHubRepository, writeOutputs } = await import('../../publish/github.ts');
  const event = readEvent(process.env);
  const { cwd, settings, today } = await openCatalog(flags);
  const proposal = new Proposal(event, cwd);
  const { number } = proposal;
  if (!proposal.isFromForm())
    return terminal.say(`GitHub issue ${number} was not written with the form "Propose an agent".\n`);
  // Another command may take the next free date meanwhile.
  const take = async () => proposal.takeIn({ settings, today, calendar: (await openContent(flags)).content });
  const taken = await changingAgents(flags, terminal, take);
  const { draft, problems, advice } = taken;
  terminal.say(
    draft === null
      ? `GitHub issue ${number} cannot become a draft:\n${problems.map((each) => `  ${each}\n`).join('')}`
      : `agents/${draft.slug} is the draft of GitHub issue ${number}.\n${advice.map((each) => `  ${each}\n`).join('')}`,
  );
  if (flags.reply === undefined) return writeOutputs(process.env, { today, proposal: 'true', slug: draft?.slug ?? '' });
  const template = join(cwd, '.github/PULL_REQUEST_TEMPLATE.md');
  const checklist = existsSync(template) ? readFileSync(template, 'utf8').trim() : '';
  await proposal.reply(taken, flags.reply, new GitHubRepository(process.env), checklist);
}

/** Reads the event that started the workflow. Texts of strangers come from this file and nowhere else. */
function readEvent({ GITHUB_EVENT_PATH }: NodeJS.ProcessEnv): unknown {
  if (!GITHUB_EVENT_PATH) throw new UsageError('GITHUB_EVENT_PATH is not set; GitHub Actions sets it.');
  return explaining(`The event in ${GITHUB_EVENT_PATH} cannot be read`, () =>
    parseBoundedJson(readFileSync(GITHUB_EVENT_PATH, 'utf8')),
  );
}

type NotifyFlags = Pick<CommonFlags, 'cwd' | 'today'>;

function addCiNotify(ci: CatalogCommand, terminal: Console): void {
  ci.command('notify')
    .description('open a GitHub issue for each skipped agent, and when the queue is running low')
    .share('cwd', 'today')
    .explain(
      '\nNeeds GITHUB_REPOSITORY and GITHUB_TOKEN. Does nothing for an agent that already has an open GitHub issue.\n' +
        '\nExamples:\n  $ catalog ci notify\n  $ catalog ci notify --today 2026-12-24\n',
    )
    .action((flags: NotifyFlags) => notify(flags, terminal));
}

async function notify(flags: NotifyFlags, terminal: Console): Promise<void> {
  const { alertsOf, GitHubRepository } = await import('../../publish/github.ts');
  const { planPublication } = await import('../../publish/plan.ts');
  const { cwd, settings, today } = await openCatalog(flags);
  const alerts = alertsOf(planPublication(cwd, settings, today));
  const opened = await new GitHubRepository(process.env).openIssues(alerts);
  terminal.say(`${plural(alerts.length, 'alert')}, ${plural(opened.length, 'new GitHub issue')}.\n`);
  for (const address of opened) terminal.print(`${address}\n`);
}

interface VerifyFlags extends Pick<CommonFlags, 'cwd' | 'today' | 'baseUrl' | 'runtimeUrl'> {
  expect?: string;
  wait: number;
}

function addCiVerify(ci: CatalogCommand, terminal: Console): void {
  ci.command('verify')
    .description("check that the live site serves today's build")
    .share('cwd', 'today', 'baseUrl', 'runtimeUrl')
    .option('--expect <id>', 'build id to check for; default: the id that a build would have now')
    .addOption(
      new Option('--wait <seconds>', 'keep checking for up to this many seconds')
        .argParser(wholeNumber(0, 9_999))
        .default(0, 'check once'),
    )
    .explain(
      '\nExit codes: 0 the live site serves that build, 1 it serves another one or does not answer.\n' +
        '\nExamples:\n  $ catalog ci verify\n  $ catalog ci verify --expect 0f3c… --wait 300\n',
    )
    .action((flags: VerifyFlags) => verify(flags, terminal));
}

const pauseMs = 5_000;

/** The id that a build would have now. Only this needs the code that renders. */
async function buildId(catalog: Awaited<ReturnType<typeof openCatalog>>): Promise<string> {
  const { renderCatalog } = await import('../../build/build.ts');
  return renderCatalog({ ...catalog, skipInvalid: true, cache: cacheFolder(process.env) }).rendered.info.id;
}

async function verify(flags: VerifyFlags, terminal: Console): Promise<void> {
  const { readLiveSite } = await import('../../publish/deploy.ts');
  const { cwd, settings, today } = await openCatalog(flags);
  const expected = flags.expect ?? (await buildId({ cwd, settings, today }));
  const end = Date.now() + flags.wait * 1000;
  for (;;) {
    const problem = await readLiveSite(settings.baseUrl).then(
      ({ id, problems }) => {
        if (problems.length > 0) return problems.join(' ');
        if (id === expected) return null;
        return `${settings.baseUrl} serves build ${id?.slice(0, 12)}, not ${expected.slice(0, 12)}.`;
      },
      (error) => {
        if (error instanceof OperationError) return error.message;
        throw error;
      },
    );
    if (problem === null) return terminal.say(`${settings.baseUrl} serves build ${expected.slice(0, 12)}.\n`);
    if (Date.now() + pauseMs > end) throw new OperationError(problem);
    await pause(pauseMs);
  }
}

/** The commands that only workflows use. */
export function addCi(program: CatalogCommand, terminal: Console): void {
  const ci = program
    .command('ci')
    .description('commands for workflows')
    .explain('\nExamples:\n  $ catalog ci verify --wait 300\n  $ catalog ci notify\n  $ catalog ci intake\n');
  addCiVerify(ci, terminal);
  addCiNotify(ci, terminal);
  addCiIntake(ci, terminal);
}

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { OperationError } from '../../diagnostics/diagnostic.ts';
import type { Console } from '../console.ts';
import { cwdOption, dataOption, given, jsonOption, sinceOption, startOf, subcommandFlags } from '../options.ts';

interface LogFlags {
  cwd: string;
  data?: string;
  votes?: string;
}

interface Flags extends LogFlags {
  dist?: string;
  since?: string;
  notes?: boolean;
  csv?: boolean;
  json?: boolean;
}

const votesOption = () =>
  new Option('--votes <file>', 'the vote log (or CATALOG_VOTES; default: votes.jsonl in the data folder)');

export function addVotes(program: Command, terminal: Console): void {
  const votes = program
    .command('votes')
    .description('report what readers think: totals by agent, share of yes, last notes')
    .addOption(cwdOption())
    .addOption(dataOption())
    .addOption(votesOption())
    .option(
      '--dist <dir>',
      'the folder of the build, which tells the agents there are (or CATALOG_DIST; default: dist)',
    )
    .addOption(sinceOption())
    .option('--notes', 'all notes, in place of the last ten; with --csv, the notes in place of the agents')
    .addOption(new Option('--csv', 'print the agents as CSV').conflicts('json'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nOf the votes of one reader on one agent on one day (UTC) the last counts. It may run beside the server.\n' +
        'Rotated files beside the log are counted too, also those compressed with gzip.\n' +
        '\nExamples:\n  $ catalog votes\n  $ catalog votes --since 2026-11-01 --csv > votes.csv\n' +
        '  $ catalog votes --notes --csv > notes.csv\n  $ catalog votes redact 0199a3c2-5d1e-7c3a-9f10-2b6d8e4f7a11\n',
    )
    .action((flags: Flags) => report(flags, terminal));
  votes
    .command('redact')
    .description('blank the note of one vote, with the server stopped')
    .argument('<id>', 'the id of the vote, as --notes --csv and --json show it')
    .addOption(cwdOption())
    .addOption(dataOption())
    .addOption(votesOption())
    .addHelpText(
      'after',
      '\nFor notes that hold personal data. The vote itself stays and counts.\n' +
        '\nExamples:\n  $ catalog votes redact 0199a3c2-5d1e-7c3a-9f10-2b6d8e4f7a11\n',
    )
    .action((id: string, _flags: LogFlags, command: Command) => blank(id, subcommandFlags(command), terminal));
}

function logFile({ cwd, data, votes }: LogFlags, { CATALOG_DATA, CATALOG_VOTES }: NodeJS.ProcessEnv): string {
  return resolve(cwd, given(votes, CATALOG_VOTES, join(given(data, CATALOG_DATA, 'data'), 'votes.jsonl')));
}

async function report(flags: Flags, terminal: Console): Promise<void> {
  const { agentsCsv, notesCsv } = await import('../../votes/report-csv.ts');
  const { reportText } = await import('../../votes/report-text.ts');
  const counted = await countVotes(flags, logFile(flags, process.env), terminal);
  const { csv = false, json = false, notes = false } = flags;
  if (json) terminal.printJson(counted);
  else if (csv) terminal.print(notes ? notesCsv(counted) : agentsCsv(counted));
  else terminal.print(reportText(counted));
}

async function countVotes(flags: Flags, file: string, terminal: Console) {
  const { findVoteLogs, readAllVotes } = await import('../../votes/all-logs.ts');
  const { reportVotes } = await import('../../votes/report.ts');
  const unusable = (error: NodeJS.ErrnoException): never => {
    if (error.code === undefined) throw error;
    throw new OperationError(`The vote log ${file} cannot be read (${error.code}).`, { cause: error });
  };
  const { files, unreadable } = await findVoteLogs(file).catch(unusable);
  if (unreadable.length > 0)
    terminal.say(`Not counted: ${unreadable.join(', ')}. Decompress them, and run this again.\n`);
  if (files.length === 1 && !existsSync(file))
    terminal.say(`There is no vote log ${file}: nobody has voted yet, or it is elsewhere.\n`);
  const published = await agentsOf(resolve(flags.cwd, given(flags.dist, process.env.CATALOG_DIST, 'dist')), terminal);
  const malformed = new Map<string, number[]>();
  const records = readAllVotes(files, (name, line) => {
    malformed.set(name, malformed.get(name) ?? []);
    malformed.get(name)?.push(line);
  });
  const counted = await reportVotes(records, {
    ...(flags.since === undefined ? {} : { since: startOf(flags.since) }),
    ...(flags.notes === true ? { notes: Number.POSITIVE_INFINITY } : {}),
    ...(published === null ? {} : { formerSlugs: published.formerSlugs }),
    malformed: () => [...malformed.values()].flat().length,
  }).catch(unusable);
  const { leftOut } = await import('../skipped-lines.ts');
  for (const [name, lines] of malformed) terminal.say(leftOut(name, lines, 'vote'));
  if (published === null) return counted;
  const agents = counted.agents.map((agent) => ({ ...agent, withdrawn: !published.slugs.has(agent.slug) }));
  return { ...counted, agents };
}

/** The agents of the build; null, and a line that says so, where there is none. */
async function agentsOf(dist: string, terminal: Console) {
  const { readPublished } = await import('../../build-folder/read-build.ts');
  try {
    return readPublished(dist);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    terminal.say(`${error.message} So no agent is marked as withdrawn, and former slugs stand for themselves.\n`);
    return null;
  }
}

async function blank(id: string, flags: LogFlags, terminal: Console): Promise<void> {
  const { redact } = await import('../../votes/redact.ts');
  const file = logFile(flags, process.env);
  const warn = (message: string) => terminal.say(`${message}\n`);
  const blanked = await redact(
    { file: await fileWith(id, file), now: () => new Date(), random: randomBytes, warn },
    id,
  );
  terminal.say(blanked ? `The note of vote ${id} is blanked.\n` : `Vote ${id} has no note; nothing was changed.\n`);
}

/** The file that has a vote: the log, or one that rotation made of it. The log where none has it. */
async function fileWith(id: string, file: string): Promise<string> {
  const { findVoteLogs } = await import('../../votes/all-logs.ts');
  const { readVotes } = await import('../../votes/read-log.ts');
  for (const name of (await findVoteLogs(file)).files.reverse()) {
    for await (const vote of readVotes(name)) {
      if (vote.id !== id) continue;
      if (name.endsWith('.gz')) throw new OperationError(`Vote ${id} is in ${name}: decompress that file first.`);
      return name;
    }
  }
  return file;
}

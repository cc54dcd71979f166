import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { OperationError, systemReason } from '../../errors.ts';
import type { Console } from '../console.ts';
import {
  cwdOption,
  dataOption,
  type Format,
  formatOption,
  given,
  outFolder,
  outOption,
  sinceOption,
  startOf,
  subcommandFlags,
} from '../options.ts';

interface LogFlags {
  cwd: string;
  data?: string;
  file?: string;
}

interface Flags extends LogFlags {
  out?: string;
  since?: string;
  notes?: boolean;
  html?: string;
  format: Format;
}

const fileOption = () =>
  new Option('--file <file>', 'vote log (or CATALOG_VOTES; default: votes.jsonl in the data folder)');

export function addVotes(program: Command, terminal: Console): void {
  const votes = program
    .command('votes')
    .description('report votes: totals by agent, share of yes, latest notes')
    .addOption(cwdOption())
    .addOption(dataOption())
    .addOption(fileOption())
    .addOption(outOption())
    .addOption(sinceOption())
    .option('--notes', 'show all notes, not only the latest ten; with --format csv, print notes instead of agents')
    .addOption(
      new Option('--html <file>', 'write a page with plots, tables and up to 1,000 notes (--notes: all)').conflicts(
        'format',
      ),
    )
    .addOption(formatOption(['pretty', 'json', 'csv']))
    .addHelpText(
      'after',
      '\nIf a reader votes on an agent several times on one day (UTC), only the last vote counts. You can run this command\n' +
        'while the server runs. It also counts rotated files next to the log, even if compressed with gzip.\n' +
        '\nExamples:\n  $ catalog votes\n  $ catalog votes --since 2026-11-01 --format csv > votes.csv\n' +
        '  $ catalog votes --notes --format csv > notes.csv\n  $ catalog votes --html votes.html\n  $ catalog votes redact 0199a3c2-5d1e-7c3a-9f10-2b6d8e4f7a11\n',
    )
    .action((flags: Flags) => report(flags, terminal));
  votes
    .command('redact')
    .description('delete the note of one vote; stop the server first')
    .argument('<id>', 'id of the vote, as printed by catalog votes --notes --format csv')
    .addOption(cwdOption())
    .addOption(dataOption())
    .addOption(fileOption())
    .addHelpText(
      'after',
      '\nUse it for notes with personal data. The vote itself still counts.\n' +
        '\nExamples:\n  $ catalog votes redact 0199a3c2-5d1e-7c3a-9f10-2b6d8e4f7a11\n',
    )
    .action((id: string, _flags: LogFlags, command: Command) => blank(id, subcommandFlags(command), terminal));
}

function logFile({ cwd, data, file }: LogFlags, { CATALOG_DATA, CATALOG_VOTES }: NodeJS.ProcessEnv): string {
  return resolve(cwd, given(file, CATALOG_VOTES, join(given(data, CATALOG_DATA, 'data'), 'votes.jsonl')));
}

async function report(flags: Flags, terminal: Console): Promise<void> {
  const { agentsCsv, notesCsv } = await import('../../votes/report-csv.ts');
  const { reportText } = await import('../../votes/report-text.ts');
  const counted = await countVotes(flags, logFile(flags, process.env), terminal);
  if (flags.html !== undefined) {
    const { reportHtml } = await import('../../votes/report-html.ts');
    writePage(flags.html, reportHtml(counted));
    terminal.print(`${flags.html}\n`);
  } else if (flags.format === 'json') terminal.printJson(counted);
  else if (flags.format === 'csv') terminal.print(flags.notes ? notesCsv(counted) : agentsCsv(counted));
  else terminal.print(reportText(counted));
}

/** Writes the page, which may replace an earlier one. Only its owner can read a new file, since notes may be personal. */
function writePage(file: string, page: string): void {
  try {
    writeFileSync(file, page, { mode: 0o600 });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new OperationError(`${file} cannot be written: ${systemReason(code)}.`, { cause: error });
  }
}

async function countVotes(flags: Flags, file: string, terminal: Console) {
  const { findVoteLogs, readAllVotes } = await import('../../votes/all-logs.ts');
  const { reportVotes } = await import('../../votes/report.ts');
  const unusable = (error: NodeJS.ErrnoException): never => {
    if (error.code === undefined) throw error;
    throw new OperationError(`Cannot read the vote log ${file} (${error.code}).`, { cause: error });
  };
  const { files, unreadable } = await findVoteLogs(file).catch(unusable);
  if (unreadable.length > 0)
    terminal.say(`Not counted: ${unreadable.join(', ')}. Decompress these files and run the command again.\n`);
  if (files.length === 1 && !existsSync(file))
    terminal.say(`${file} does not exist: nobody has voted yet, or the vote log is elsewhere (--data or --file).\n`);
  const published = await agentsOf(outFolder(flags), terminal);
  const malformed = new Map<string, number[]>();
  const records = readAllVotes(files, (name, line) => {
    malformed.set(name, malformed.get(name) ?? []);
    malformed.get(name)?.push(line);
  });
  const counted = await reportVotes(records, {
    ...(flags.since === undefined ? {} : { since: startOf(flags.since) }),
    ...(flags.notes === true ? { notes: Number.POSITIVE_INFINITY } : flags.html === undefined ? {} : { notes: 1000 }),
    ...published,
    malformed: () => [...malformed.values()].flat().length,
  }).catch(unusable);
  const { skippedLines } = await import('../skipped-lines.ts');
  for (const [name, lines] of malformed) terminal.say(skippedLines(name, lines));
  return counted;
}

/** The agents of the build; null, with a message, if there is no build. */
async function agentsOf(dist: string, terminal: Console) {
  const { readPublished } = await import('../../build-folder/read-build.ts');
  try {
    return readPublished(dist);
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    terminal.say(
      `${error.message} Without a build, the report marks no agent as withdrawn, and lists former slugs separately.\n`,
    );
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
  terminal.say(blanked ? `Deleted the note of vote ${id}.\n` : `Vote ${id} has no note; nothing was changed.\n`);
}

/** The file with a vote: the log or one of its rotated files; the log if no file has it. */
async function fileWith(id: string, file: string): Promise<string> {
  const { findVoteLogs } = await import('../../votes/all-logs.ts');
  const { readVotes } = await import('../../votes/read-log.ts');
  for (const name of (await findVoteLogs(file)).files.reverse()) {
    for await (const vote of readVotes(name)) {
      if (vote.id !== id) continue;
      if (name.endsWith('.gz')) throw new OperationError(`Vote ${id} is in ${name}. Decompress that file first.`);
      return name;
    }
  }
  return file;
}

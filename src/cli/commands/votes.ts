import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Option } from 'commander';
import { OperationError, systemReason } from '../../lib/errors.ts';
import type { Console } from '../console.ts';
import { type CatalogCommand, type Format, outFolder, startOf, subcommandFlags } from '../options.ts';
import { fileOption, type LogFlags, logFile, votesDatabase, withVotes } from '../vote-source.ts';
import { addVotesMove } from './votes-move.ts';

interface Flags extends LogFlags {
  out?: string;
  since?: string;
  notes?: boolean;
  html?: string;
  format: Format;
}

export function addVotes(program: CatalogCommand, terminal: Console): void {
  const votes = program
    .command('votes')
    .description('report votes: totals by agent, share of yes, latest notes')
    .share('cwd', 'data')
    .addOption(fileOption())
    .share('out', 'since')
    .option('--notes', 'show all notes, not only the latest ten; with --format csv, print notes instead of agents')
    .addOption(
      new Option('--html <file>', 'write a page with plots, tables and up to 1,000 notes (--notes: all)').conflicts(
        'format',
      ),
    )
    .formats('pretty', 'json', 'csv')
    .explain(
      '\nIf a reader votes on an agent several times on one day (UTC), only the last vote counts. You can run this command\n' +
        'while the server runs. It also counts votes in rotated files next to the log, even if compressed with gzip.\n' +
        '\nExamples:\n  $ catalog votes\n  $ catalog votes --since 2026-11-01 --format csv > votes.csv\n' +
        '  $ catalog votes --notes --format csv > notes.csv\n  $ catalog votes --html votes.html\n  $ catalog votes redact 0199a3c2-5d1e-7c3a-9f10-2b6d8e4f7a11\n',
    )
    .action((flags: Flags) => report(flags, terminal));
  votes
    .command('redact')
    .description('delete the note of one vote; if votes are stored in files, stop the server first')
    .argument('<id>', 'id of the vote, as printed by catalog votes --notes --format csv')
    .share('cwd', 'data')
    .addOption(fileOption())
    .explain(
      '\nUse it for notes with personal data. The vote itself still counts.\n' +
        '\nExamples:\n  $ catalog votes redact 0199a3c2-5d1e-7c3a-9f10-2b6d8e4f7a11\n',
    )
    .action((id: string, _flags: LogFlags, command: CatalogCommand) => blank(id, subcommandFlags(command), terminal));
  addVotesMove(votes, terminal);
}

async function report(flags: Flags, terminal: Console): Promise<void> {
  const { agentsCsv, notesCsv } = await import('../../storage/vote-report.ts');
  const { reportText } = await import('../../storage/vote-report.ts');
  const counted = await countVotes(flags, terminal);
  if (flags.html !== undefined) {
    const { reportHtml } = await import('../../storage/vote-report-html.ts');
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

async function countVotes(flags: Flags, terminal: Console) {
  const { reportVotes } = await import('../../storage/vote-report.ts');
  return withVotes(flags, terminal, async ({ records, malformed }) => {
    const published = await agentsOf(flags, terminal);
    return reportVotes(records, {
      ...(flags.since === undefined ? {} : { since: startOf(flags.since) }),
      ...(flags.notes === true ? { notes: Number.POSITIVE_INFINITY } : flags.html === undefined ? {} : { notes: 1000 }),
      ...published,
      malformed,
    });
  });
}

/** The agents of the build; null, with a message, if there is no build. */
async function agentsOf(flags: Flags, terminal: Console) {
  const { readPublished, readWithdrawn } = await import('../../storage/build-folder.ts');
  try {
    const dist = outFolder(flags);
    const { slugs, formerSlugs } = readPublished(dist);
    const withdrawn = readWithdrawn(dist);
    if (withdrawn === null || withdrawn.size === 0) return { slugs, formerSlugs, withdrawn };
    const { formerSlugsOf } = await import('../withdrawn-slugs.ts');
    return { slugs, withdrawn, formerSlugs: new Map([...formerSlugsOf(withdrawn, flags.cwd), ...formerSlugs]) };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    terminal.say(
      `${error.message} Without a build, the report marks no agent as withdrawn, and lists former slugs separately.\n`,
    );
    return null;
  }
}

async function blank(id: string, flags: LogFlags, terminal: Console): Promise<void> {
  const url = votesDatabase(flags, process.env);
  const blanked = url === null ? await blankInLog(id, flags, terminal) : await blankInDatabase(id, url);
  terminal.say(blanked ? `Deleted the note of vote ${id}.\n` : `Vote ${id} has no note; nothing was changed.\n`);
}

async function blankInDatabase(id: string, url: string): Promise<boolean> {
  const { withDatabase } = await import('../../storage/migrate.ts');
  const { redactInDatabase } = await import('../../storage/database-votes.ts');
  const blanked = await withDatabase(url, (database) => redactInDatabase(database, id));
  if (blanked === undefined) throw new OperationError(`No vote in the database has the id ${id}.`);
  return blanked;
}

async function blankInLog(id: string, flags: LogFlags, terminal: Console): Promise<boolean> {
  const { redact } = await import('../../storage/file-votes.ts');
  const file = await fileWith(id, logFile(flags, process.env));
  const warn = (message: string) => terminal.say(`${message}\n`);
  return redact({ file, now: () => new Date(), random: randomBytes, warn }, id);
}

/** The file with a vote: the log or one of its rotated files; the log if no file has it. */
async function fileWith(id: string, file: string): Promise<string> {
  const { findVoteLogs } = await import('../../storage/file-votes.ts');
  const { readVotes } = await import('../../storage/file-votes.ts');
  for (const name of (await findVoteLogs(file)).files.reverse()) {
    for await (const vote of readVotes(name)) {
      if (vote.id !== id) continue;
      if (name.endsWith('.gz')) throw new OperationError(`Vote ${id} is in ${name}. Decompress that file first.`);
      return name;
    }
  }
  return file;
}

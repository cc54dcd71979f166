import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Option } from 'commander';
import { explaining, OperationError } from '../../lib/errors.ts';
import { columnsText, csv, plural } from '../../lib/text.ts';
import { databaseUrl } from '../../storage/database.ts';
import type { StoredVote } from '../../storage/vote.ts';
import { type Console, skippedLines } from '../console.ts';
import {
  type CatalogCommand,
  dataFolder,
  type Format,
  firstOf,
  outFolder,
  requiredDatabase,
  type StoreFlags,
  startOf,
  subcommandFlags,
  withDatabase,
} from '../options.ts';

const fileOption = [
  '--file <file>',
  'vote log (default: the database in DATABASE_URL, else CATALOG_VOTES, else votes.jsonl in the data folder)',
] as const;

/** The vote log that the flags and the environment name. */
function logFile(flags: StoreFlags): string {
  return resolve(flags.cwd, firstOf(flags.file, process.env.CATALOG_VOTES, join(dataFolder(flags), 'votes.jsonl')));
}

/** The connection URI of the database with the votes; null if they are in a log. */
function votesDatabase({ file }: StoreFlags): string | null {
  return file === undefined ? databaseUrl(process.env) : null;
}

/** The votes of a store, in the order in which they were stored. */
interface VoteSource {
  votes: AsyncIterable<StoredVote>;
  /** How many lines are no votes, once all were read. Says so on the terminal. */
  malformed(): Promise<number>;
}

/** Runs `work` with the votes of the store that the flags and the environment name. */
async function withVotes<Result>(
  flags: StoreFlags,
  terminal: Console,
  work: (source: VoteSource) => Promise<Result>,
): Promise<Result> {
  const url = votesDatabase(flags);
  if (url === null) return withLogs([logFile(flags)], terminal, work, { named: flags.file !== undefined });
  const { databaseVotes } = await import('../../storage/database-votes.ts');
  return withDatabase(url, (database) => work({ votes: databaseVotes(database).all(), malformed: async () => 0 }));
}

/**
 * Runs `work` with the votes of logs and their rotated files, each vote once. Says which logs do not exist; if they were
 * `named` by the user, throws OperationError instead.
 */
async function withLogs<Result>(
  logs: readonly string[],
  terminal: Console,
  work: (source: VoteSource) => Promise<Result>,
  { named = false } = {},
): Promise<Result> {
  const { readVotes } = await import('../../storage/file-votes.ts');
  const { findLogs } = await import('../../storage/line-file.ts');
  const rotated = await Promise.all(logs.map((log) => findLogs(log)));
  const files = rotated.flatMap((each) => each.files);
  const unreadable = rotated.flatMap((each) => each.unreadable);
  if (unreadable.length > 0)
    terminal.say(`Not counted: ${unreadable.join(', ')}. Decompress these files and run the command again.\n`);
  const missing = logs.filter((_, index) => !rotated[index]?.files.some((name) => existsSync(name)));
  if (named && missing.length > 0) throw new OperationError(`There is no vote log ${missing.join(', ')}.`);
  for (const log of missing)
    terminal.say(`${log} does not exist: nobody has voted yet, or the vote log is elsewhere (--data or --file).\n`);
  const skipped: { file: string; line: number }[] = [];
  const votes = readVotes(files, (line, file) => skipped.push({ file, line }));
  const malformed = async () => {
    for (const message of skippedLines(skipped)) terminal.say(message);
    return skipped.length;
  };
  return work({ votes, malformed });
}

/** The subcommands of `catalog votes` that move votes between stores, and its totals. */
function addVotesMove(votes: CatalogCommand, terminal: Console): void {
  votes
    .command('import')
    .description('copy a vote log into the database in DATABASE_URL')
    .argument('[log...]', 'vote logs; default: the one in the data folder, with its rotated files')
    .share('cwd', 'data')
    .explain(
      '\nVotes that the database already has are left out, so you can run it again after an interruption, or for votes that\n' +
        'arrived later. The log stays as it is.\n' +
        '\nExamples:\n  $ catalog votes import\n  $ catalog votes import votes.jsonl\n',
    )
    .action((logs: string[], _flags: StoreFlags, command: CatalogCommand) =>
      importLogs(logs, subcommandFlags(command), terminal),
    );
  votes
    .command('export')
    .description('print all votes as a vote log, with one JSON object per line')
    .share('cwd', 'data')
    .option(...fileOption)
    .explain(
      '\nWithout a database, it prints the vote log and its rotated files as one. To go back to files, stop the servers and\n' +
        'save the output as votes.jsonl in a data folder without other logs.\n' +
        '\nExamples:\n  $ catalog votes export > votes.jsonl\n',
    )
    .action((_flags: StoreFlags, command: CatalogCommand) => exportVotes(subcommandFlags(command), terminal));
  votes
    .command('totals')
    .description('print the totals by agent from the database in DATABASE_URL')
    .formats('pretty', 'json', 'csv')
    .explain(
      '\nThe totals of past days are kept, so this takes about as long with a year of votes as with a day. Votes for a former\n' +
        'slug are listed under that slug.\n' +
        '\nExamples:\n  $ catalog votes totals\n  $ catalog votes totals --format json\n',
    )
    .action((_flags: { format: Format }, command: CatalogCommand) => printTotals(subcommandFlags(command), terminal));
}

async function importLogs(logs: readonly string[], flags: StoreFlags, terminal: Console): Promise<void> {
  const url = requiredDatabase();
  const { databaseVotes } = await import('../../storage/database-votes.ts');
  const named = logs.length > 0;
  const paths = named ? logs.map((log) => resolve(flags.cwd, log)) : [logFile(flags)];
  await withDatabase(url, async (database) => {
    const load = async ({ votes, malformed }: VoteSource) => {
      const { added, existing } = await databaseVotes(database).import(votes);
      await malformed();
      const rest = existing === 0 ? '' : ` The database already had ${existing}.`;
      terminal.say(`Imported ${plural(added, 'vote')}.${rest}\n`);
    };
    await withLogs(paths, terminal, load, { named });
  });
}

/** How many votes are printed at once. */
const chunkLength = 1_000;

async function exportVotes(flags: StoreFlags, terminal: Console): Promise<void> {
  await withVotes(flags, terminal, async ({ votes, malformed }) => {
    const chunk: object[] = [];
    for await (const vote of votes) {
      if (chunk.push(vote) === chunkLength) await terminal.printLines(chunk.splice(0));
    }
    await terminal.printLines(chunk);
    await malformed();
  });
}

async function printTotals(flags: { format: Format }, terminal: Console): Promise<void> {
  const url = requiredDatabase();
  const { databaseVotes } = await import('../../storage/database-votes.ts');
  const totals = await withDatabase(url, (database) => databaseVotes(database).totals(new Date()));
  const rows = totals.map(({ slug, yes, no }) => [slug, yes + no, yes, no]);
  if (flags.format === 'json') terminal.printJson(totals);
  else if (flags.format === 'csv') terminal.print(csv(['slug', 'votes', 'yes', 'no'], rows));
  else if (rows.length === 0) terminal.print('No votes.\n');
  else {
    const table = [['agent', 'votes', 'yes', 'no'], ...rows.map((row) => row.map(String))];
    terminal.print(`${columnsText(table, { numeric: true })}\n`);
  }
}

interface Flags extends StoreFlags {
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
    .option(...fileOption)
    .share('out', 'since')
    .option('--notes', 'show all notes, not only the latest ten; with --format csv, print notes instead of agents')
    .addOption(
      new Option(
        '--html <file>',
        'write a page with plots, tables and up to 1,000 notes (--notes: all); - is stdout',
      ).conflicts('format'),
    )
    .formats('pretty', 'json', 'csv')
    .explain(
      '\nIf a reader votes on an agent several times on one day (UTC), only the last vote and the last note count; export prints\n' +
        'all of them. You can run this command while the server runs. It also counts votes in rotated files next to the log,\n' +
        'even if compressed with gzip.\n' +
        '\nExamples:\n  $ catalog votes\n  $ catalog votes --since 2026-11-01 --format csv > votes.csv\n' +
        '  $ catalog votes --notes --format csv > notes.csv\n  $ catalog votes --html votes.html\n  $ catalog votes redact 0199a3c2-5d1e-7c3a-9f10-2b6d8e4f7a11\n',
    )
    .action((flags: Flags) => report(flags, terminal));
  votes
    .command('redact')
    .description('delete the note of one vote; if votes are stored in files, stop the server first')
    .argument('<id>', 'id of the vote, as printed by `catalog votes --notes --format csv`')
    .share('cwd', 'data')
    .option(...fileOption)
    .explain(
      '\nUse it for notes with personal data. The vote itself still counts.\n' +
        '\nExamples:\n  $ catalog votes redact 0199a3c2-5d1e-7c3a-9f10-2b6d8e4f7a11\n',
    )
    .action((id: string, _flags: StoreFlags, command: CatalogCommand) => blank(id, subcommandFlags(command), terminal));
  addVotesMove(votes, terminal);
}

async function report(flags: Flags, terminal: Console): Promise<void> {
  const { renderReport } = await import('../../storage/vote-report.ts');
  const counted = await countVotes(flags, terminal);
  if (flags.html !== undefined) {
    const { reportHtml } = await import('../../storage/vote-report-html.ts');
    const [file, page] = [flags.html, reportHtml(counted)];
    if (file === '-') return terminal.print(page);
    // It may replace an earlier page. Only its owner can read a new file, since notes may be personal.
    explaining(`${file} cannot be written`, () => writeFileSync(file, page, { mode: 0o600 }));
    terminal.print(`${file}\n`);
  } else if (flags.format === 'json') terminal.printJson(counted);
  else if (flags.format !== 'csv') terminal.print(renderReport(counted, 'text'));
  else terminal.print(renderReport(counted, flags.notes ? 'notes.csv' : 'agents.csv'));
}

async function countVotes(flags: Flags, terminal: Console) {
  const { reportVotes } = await import('../../storage/vote-report.ts');
  return withVotes(flags, terminal, async ({ votes, malformed }) => {
    const published = await agentsOf(flags, terminal);
    return reportVotes(votes, {
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
    const { titles, formerSlugs } = readPublished(dist);
    const withdrawn = readWithdrawn(dist);
    if (withdrawn === null || withdrawn.size === 0) return { titles, formerSlugs, withdrawn };
    const inCatalog = await formerSlugsOf(withdrawn, flags.cwd);
    return { titles, withdrawn, formerSlugs: new Map([...inCatalog, ...formerSlugs]) };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    terminal.say(
      `${error.message} Without a build, the report marks no agent as withdrawn, and lists former slugs separately.\n`,
    );
    return null;
  }
}

/**
 * Maps the former slugs of withdrawn agents to their slugs. A build does not have them (C3.26), so they are read from the
 * folders of the agents. Agents without a folder in the catalog folder `cwd`, as on a server with only a build, have none.
 */
async function formerSlugsOf(withdrawn: ReadonlySet<string>, cwd: string): Promise<Map<string, string>> {
  const { readAgent, textOf } = await import('../../content/read.ts');
  const { scheduleIn } = await import('../../content/parse/front-matter.ts');
  const formerSlugs = new Map<string, string>();
  for (const slug of withdrawn) {
    const bytes = readAgent(cwd, slug)?.files.find(({ name }) => name === 'agent.md')?.bytes;
    const text = bytes ? textOf(bytes) : null;
    if (text === null) continue;
    for (const former of scheduleIn(text).formerSlugs) if (withdrawn.has(former)) formerSlugs.set(former, slug);
  }
  return formerSlugs;
}

async function blank(id: string, flags: StoreFlags, terminal: Console): Promise<void> {
  const url = votesDatabase(flags);
  const isBlanked = url === null ? await blankInLog(id, flags, terminal) : await blankInDatabase(id, url);
  terminal.say(isBlanked ? `Deleted the note of vote ${id}.\n` : `Vote ${id} has no note; nothing was changed.\n`);
}

async function blankInDatabase(id: string, url: string): Promise<boolean> {
  const { databaseVotes } = await import('../../storage/database-votes.ts');
  const blanked = await withDatabase(url, (database) => databaseVotes(database).redact(id));
  if (blanked === undefined) throw new OperationError(`No vote in the database has the id ${id}.`);
  return blanked;
}

async function blankInLog(id: string, flags: StoreFlags, terminal: Console): Promise<boolean> {
  const { redact } = await import('../../storage/file-votes.ts');
  const warn = (message: string) => terminal.say(`${message}\n`);
  let isBlanked = false;
  for (const file of await filesWith(id, logFile(flags), terminal))
    if (await redact({ file, now: () => new Date(), random: randomBytes, warn }, id)) isBlanked = true;
  return isBlanked;
}

/** The files with a vote, of the log and its rotated files, which may have copies; the log if no file has it. */
async function filesWith(id: string, log: string, terminal: Console): Promise<string[]> {
  const { readVotes } = await import('../../storage/file-votes.ts');
  const { findLogs } = await import('../../storage/line-file.ts');
  const files = new Set<string>();
  const { files: logs, unreadable } = await findLogs(log);
  if (unreadable.length > 0) terminal.say(`Not searched, because compressed: ${unreadable.join(', ')}.\n`);
  for (const name of logs) for await (const vote of readVotes([name])) if (vote.id === id) files.add(name);
  const packed = [...files].find((name) => name.endsWith('.gz'));
  if (packed !== undefined) throw new OperationError(`Vote ${id} is in ${packed}. Decompress that file first.`);
  return files.size === 0 ? [log] : [...files];
}

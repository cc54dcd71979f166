import { resolve } from 'node:path';
import { UsageError } from '../../lib/errors.ts';
import { plural } from '../../lib/text.ts';
import type { Console } from '../console.ts';
import { type CatalogCommand, type Format, subcommandFlags } from '../options.ts';
import {
  fileOption,
  type LogFlags,
  logFile,
  type VoteSource,
  votesDatabase,
  withLogs,
  withVotes,
} from '../vote-source.ts';

/** The subcommands of `catalog votes` that move votes between stores, and its totals. */
export function addVotesMove(votes: CatalogCommand, terminal: Console): void {
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
    .action((logs: string[], _flags: LogFlags, command: CatalogCommand) =>
      importLogs(logs, subcommandFlags(command), terminal),
    );
  votes
    .command('export')
    .description('print all votes as a vote log, with one JSON object per line')
    .share('cwd', 'data')
    .addOption(fileOption())
    .explain(
      '\nWithout a database, it prints the vote log and its rotated files as one. To go back to files, stop the servers and\n' +
        'save the output as votes.jsonl in the data folder.\n' +
        '\nExamples:\n  $ catalog votes export > votes.jsonl\n',
    )
    .action((_flags: LogFlags, command: CatalogCommand) => exportVotes(subcommandFlags(command), terminal));
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

/** Returns DATABASE_URL. Throws UsageError if it is not set. */
function requireDatabase(flags: LogFlags): string {
  const url = votesDatabase(flags, process.env);
  if (url === null) throw new UsageError('Set DATABASE_URL to a connection URI of the database.');
  return url;
}

async function importLogs(logs: readonly string[], flags: LogFlags, terminal: Console): Promise<void> {
  const url = requireDatabase(flags);
  const { withDatabase } = await import('../../storage/migrate.ts');
  const { importVotes } = await import('../../storage/database-votes.ts');
  const named = logs.length > 0;
  const paths = named ? logs.map((log) => resolve(flags.cwd, log)) : [logFile(flags, process.env)];
  await withDatabase(url, async (database) => {
    const load = async ({ records, malformed }: VoteSource) => {
      const { added, known } = await importVotes(database, records);
      await malformed();
      const rest = known === 0 ? '' : ` The database already had ${known}.`;
      terminal.say(`Imported ${plural(added, 'vote')}.${rest}\n`);
    };
    await withLogs(paths, terminal, load, { named });
  });
}

/** How many votes are printed at once. */
const chunkLength = 1_000;

async function exportVotes(flags: LogFlags, terminal: Console): Promise<void> {
  await withVotes(flags, terminal, async ({ records, malformed }) => {
    let chunk: object[] = [];
    for await (const vote of records) {
      chunk.push(vote);
      if (chunk.length < chunkLength) continue;
      await terminal.printLines(chunk);
      chunk = [];
    }
    await terminal.printLines(chunk);
    await malformed();
  });
}

async function printTotals(flags: { format: Format }, terminal: Console): Promise<void> {
  const url = requireDatabase({ cwd: '.' });
  const { withDatabase } = await import('../../storage/migrate.ts');
  const { liveTotals } = await import('../../storage/database-votes.ts');
  const { totalsCsv, totalsText } = await import('../../storage/vote-report.ts');
  const totals = await withDatabase(url, (database) => liveTotals(database, new Date()));
  if (flags.format === 'json') terminal.printJson(totals);
  else terminal.print(flags.format === 'csv' ? totalsCsv(totals) : totalsText(totals));
}

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Option } from 'commander';
import { OperationError } from '../lib/errors.ts';
import { databaseUrl } from '../storage/database.ts';
import type { VoteRecord } from '../storage/vote.ts';
import type { Console } from './console.ts';
import { skippedLines } from './console.ts';
import { given } from './options.ts';

/** The flags that say where votes are stored. */
export interface LogFlags {
  cwd: string;
  data?: string;
  file?: string;
}

export const fileOption = () =>
  new Option(
    '--file <file>',
    'vote log (default: the database in DATABASE_URL, else CATALOG_VOTES, else votes.jsonl in the data folder)',
  );

/** The vote log that the flags and the environment name. */
export function logFile({ cwd, data, file }: LogFlags, { CATALOG_DATA, CATALOG_VOTES }: NodeJS.ProcessEnv): string {
  return resolve(cwd, given(file, CATALOG_VOTES, join(given(data, CATALOG_DATA, 'data'), 'votes.jsonl')));
}

/** The connection URI of the database with the votes; null if they are in a log. */
export function votesDatabase({ file }: LogFlags, environment: NodeJS.ProcessEnv): string | null {
  return file === undefined ? databaseUrl(environment) : null;
}

/** The votes of a store, in the order in which they were stored. */
export interface VoteSource {
  records: AsyncIterable<VoteRecord>;
  /** How many lines are no votes, once all were read. Says so on the terminal. */
  malformed(): Promise<number>;
}

/** Runs `work` with the votes of the store that the flags and the environment name. */
export async function withVotes<Result>(
  flags: LogFlags,
  terminal: Console,
  work: (source: VoteSource) => Promise<Result>,
): Promise<Result> {
  const url = votesDatabase(flags, process.env);
  if (url === null) return withLogs([logFile(flags, process.env)], terminal, work);
  const { withDatabase } = await import('../storage/migrate.ts');
  const { readDatabaseVotes } = await import('../storage/database-votes.ts');
  return withDatabase(url, (database) => work({ records: readDatabaseVotes(database), malformed: async () => 0 }));
}

/**
 * Runs `work` with the votes of logs and their rotated files, each vote once. Says which logs do not exist; if they were
 * `named` by the user, throws OperationError instead.
 */
export async function withLogs<Result>(
  logs: readonly string[],
  terminal: Console,
  work: (source: VoteSource) => Promise<Result>,
  { named = false } = {},
): Promise<Result> {
  const { findVoteLogs, readAllVotes } = await import('../storage/file-votes.ts');
  const unusable = (error: NodeJS.ErrnoException): never => {
    if (error.code === undefined || !/^E[A-Z]+$/.test(error.code)) throw error;
    throw new OperationError(`Cannot read the vote log ${logs.join(', ')} (${error.code}).`, { cause: error });
  };
  const found = await Promise.all(logs.map((log) => findVoteLogs(log).catch(unusable)));
  const files = found.flatMap((each) => each.files);
  const unreadable = found.flatMap((each) => each.unreadable);
  if (unreadable.length > 0)
    terminal.say(`Not counted: ${unreadable.join(', ')}. Decompress these files and run the command again.\n`);
  const missing = logs.filter((_, index) => !found[index]?.files.some((name) => existsSync(name)));
  if (named && missing.length > 0) throw new OperationError(`There is no vote log ${missing.join(', ')}.`);
  for (const log of missing)
    terminal.say(`${log} does not exist: nobody has voted yet, or the vote log is elsewhere (--data or --file).\n`);
  const lines = new Map<string, number[]>();
  const records = readAllVotes(files, (name, line) => {
    lines.set(name, lines.get(name) ?? []);
    lines.get(name)?.push(line);
  });
  const malformed = async () => {
    for (const [name, numbers] of lines) terminal.say(skippedLines(name, numbers));
    return [...lines.values()].flat().length;
  };
  return work({ records, malformed }).catch(unusable);
}

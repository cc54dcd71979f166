import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { OperationError } from '../diagnostics.ts';
import { dailySecret } from './daily-secret.ts';
import { type Disk, hasCode, makeFolder } from './disk.ts';
import { groupCommit } from './group-commit.ts';
import { openJournal } from './journal.ts';
import { acquireLock, type LockOptions } from './lock.ts';
import { readVotes } from './read-log.ts';
import { stamp, utcDay } from './stamp.ts';
import { type NewVote, type VoteRecord, type VoteStore, VotesUnavailable } from './store.ts';

export interface VoteLogOptions extends Pick<LockOptions, 'beatMs' | 'patienceMs'> {
  /** The log. It and its folder are made where they are missing. */
  file: string;
  now(): Date;
  /** Gives that many bytes from a cryptographic source. */
  random(bytes: number): Buffer;
  /** Is told, in a sentence, what an operator should know. */
  warn(message: string): void;
  /** @default node:fs/promises */
  disk?: Disk;
}

/**
 * Opens the vote log in a file: one JSON object a line, only ever added to, and durable line by line.
 *
 * Beside it stand `<log>.lock` (its one owner), `<log>.secret` (behind the pseudonyms of the day) and, after a crash,
 * `<log>.torn-<time>`. Rejects with an OperationError where the log has an owner or cannot be used.
 */
export async function openVoteLog(options: VoteLogOptions): Promise<VoteStore> {
  const { now, random, warn, disk = fs } = options;
  await makeFolder(disk, dirname(resolve(options.file))).catch((error) => {
    throw cannotOpen(options.file, error);
  });
  const file = await located(options.file, disk);
  const lock = await acquireLock({ ...options, disk, file }).catch((error) => {
    throw cannotOpen(file, error);
  });
  const secrets = dailySecret({ path: `${file}.secret`, disk, random, warn });
  const journal = await openJournal({ path: file, disk, now, warn, mayWrite: lock.confirm }).catch(async (error) => {
    await lock.release();
    throw cannotOpen(file, error);
  });
  // The secret of a day goes with the day, also when nobody votes. Where it cannot be kept, votes will say so.
  const renew = () => secrets.of(utcDay(now())).catch(() => {});
  await renew();
  const renewal = setInterval(renew, 60_000);
  renewal.unref();
  const commit = groupCommit(store);
  // What is not part of a pass waits for its turn between two passes.
  let turn: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | null = null;

  function alone<Result>(task: () => Promise<Result>): Promise<Result> {
    const done = turn.then(task);
    turn = done.catch(() => {});
    return done;
  }

  async function store(votes: readonly NewVote[]): Promise<readonly VoteRecord[]> {
    const at = now();
    const records = stamp(votes, { at, secret: await secrets.of(utcDay(at)), random });
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    await alone(() => journal.append(lines));
    return records;
  }

  async function close(): Promise<void> {
    await commit.idle();
    clearInterval(renewal);
    await alone(() => journal.close()).finally(() => lock.release());
  }

  return {
    async append(vote) {
      if (closing !== null) throw new VotesUnavailable(new Error('The vote log is closed.'));
      try {
        return await commit.add(vote);
      } catch (error) {
        throw new VotesUnavailable(error);
      }
    },
    read: () => readVotes(file),
    async reopen() {
      if (closing === null) await alone(() => journal.reopen());
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** The log's own path: two links to one log must meet at one lock. */
export async function located(file: string, disk: Disk): Promise<string> {
  const path = resolve(file);
  try {
    return await disk.realpath(path).catch(async (error) => {
      if (!hasCode(error, 'ENOENT')) throw error;
      return join(await disk.realpath(dirname(path)), basename(path));
    });
  } catch (error) {
    throw cannotOpen(path, error);
  }
}

/** What an operator reads when a log cannot be used. One that has an owner says so itself. */
export function cannotOpen(file: string, cause: unknown): OperationError {
  if (cause instanceof OperationError) return cause;
  return new OperationError(`The vote log ${file} cannot be used: ${String(cause)}`, { cause });
}

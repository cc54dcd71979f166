import * as fs from 'node:fs/promises';
import { OperationError, systemReason } from '../errors.ts';
import { type Disk, reasonOf } from '../journal/disk.ts';
import { type LastingOptions, openLastingJournal } from '../journal/lasting-journal.ts';
import { type DailySecret, dailySecret } from './daily-secret.ts';
import { stamp, utcDay } from './stamp.ts';
import { type NewVote, type VoteRecord, type VoteStore, VotesUnavailable } from './vote.ts';

export interface VoteLogOptions
  extends Pick<LastingOptions<NewVote, VoteRecord>, 'beatMs' | 'patienceMs' | 'retryMs' | 'startMs' | 'onPass'> {
  /** The log. It and its folder are created if missing. */
  file: string;
  now(): Date;
  /** Returns this many bytes from a cryptographic source. */
  random(bytes: number): Buffer;
  /** Called with a sentence for the operator. */
  warn(message: string): void;
  /** @default node:fs/promises */
  disk?: Disk;
}

/**
 * Opens the vote log: a file to which JSON objects are appended, one on each line, each durable once it is acknowledged.
 *
 * Next to it are `<log>.lock` (its one owner), `<log>.secret` (for the day's pseudonyms) and, after a crash,
 * `<log>.torn`. While the disk fails or another process has the log, votes are refused, and it is reopened until that
 * works. Rejects with OperationError if the log already has an owner, or its path cannot be a file.
 */
export async function openVoteLog(options: VoteLogOptions): Promise<VoteStore> {
  const { now, random, warn, disk = fs } = options;
  const journal = await openLastingJournal<NewVote, VoteRecord>({ ...options, prepare }).catch((error) => {
    throw cannotOpen(options.file, error);
  });
  let secrets: DailySecret | undefined;
  // The secret is replaced each day even without votes. If it cannot be stored, the next vote reports that.
  const renew = async () => {
    if (journal.isOpen()) await secretOf(utcDay(now())).catch(() => {});
  };
  await renew();
  const renewal = setInterval(renew, 60_000);
  renewal.unref();

  /** The final path of the log is known only once it is open. */
  function secretOf(day: string): Promise<Buffer> {
    secrets ??= dailySecret({ path: `${journal.file}.secret`, disk, random, warn });
    return secrets.of(day);
  }

  async function prepare(votes: readonly NewVote[]): Promise<readonly VoteRecord[]> {
    const at = now();
    return stamp(votes, { at, secret: await secretOf(utcDay(at)), random });
  }

  return {
    async append(vote) {
      try {
        return await journal.append(vote);
      } catch (error) {
        throw new VotesUnavailable(error, !journal.isOpen());
      }
    },
    check: () => journal.check(),
    reopen: () => journal.reopen(),
    close() {
      clearInterval(renewal);
      return journal.close();
    },
  };
}

/** The error for a log that cannot be used. If it has an owner, `cause` already says so. */
export function cannotOpen(file: string, cause: unknown): OperationError {
  if (cause instanceof OperationError) return cause;
  return new OperationError(`The vote log ${file} cannot be used: ${systemReason(reasonOf(cause))}.`, { cause });
}

import * as fs from 'node:fs/promises';
import { OperationError, systemReason } from '../errors.ts';
import { type Disk, reasonOf } from '../journal/disk.ts';
import { type LastingOptions, openLastingJournal } from '../journal/lasting-journal.ts';
import { type DailySecret, dailySecret } from './daily-secret.ts';
import { readVotes } from './read-log.ts';
import { stamp, utcDay } from './stamp.ts';
import { type NewVote, type VoteRecord, type VoteStore, VotesUnavailable } from './store.ts';

export interface VoteLogOptions
  extends Pick<LastingOptions<NewVote, VoteRecord>, 'beatMs' | 'patienceMs' | 'retryMs' | 'startMs'> {
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
 * `<log>.torn`. While its disk fails, or another process has taken it, votes are refused and it is opened again and
 * again. Rejects with an OperationError where the log has an owner already, or its path can be no file.
 */
export async function openVoteLog(options: VoteLogOptions): Promise<VoteStore> {
  const { now, random, warn, disk = fs } = options;
  const journal = await openLastingJournal<NewVote, VoteRecord>({ ...options, prepare }).catch((error) => {
    throw cannotOpen(options.file, error);
  });
  let secrets: DailySecret | undefined;
  // The secret of a day goes with the day, also when nobody votes. Where it cannot be kept, votes will say so.
  const renew = async () => {
    if (journal.isOpen()) await secretOf(utcDay(now())).catch(() => {});
  };
  await renew();
  const renewal = setInterval(renew, 60_000);
  renewal.unref();

  /** The log's own path is known once it is open. */
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
        throw new VotesUnavailable(error);
      }
    },
    check: () => journal.check(),
    read: () => readVotes(journal.file),
    reopen: () => journal.reopen(),
    close() {
      clearInterval(renewal);
      return journal.close();
    },
  };
}

/** What an operator reads when a log cannot be used. One that has an owner says so itself. */
export function cannotOpen(file: string, cause: unknown): OperationError {
  if (cause instanceof OperationError) return cause;
  return new OperationError(`The vote log ${file} cannot be used: ${systemReason(reasonOf(cause))}.`, { cause });
}

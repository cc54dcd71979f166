import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { parseJsonLine } from '../lib/bounded.ts';
import { OperationError, orElse } from '../lib/errors.ts';
import { once } from '../lib/lazy.ts';
import { cannotUse, createFile, type Disk, hasCode, ifMissing, realPath, syncFolder, undo } from './disk.ts';
import { type JournalOptions, openLastingJournal } from './journal.ts';
import { findLogs, type OnMalformed, parseLine, readLines, readParsed, rewriteLines } from './line-file.ts';
import { withLock } from './lock.ts';
import {
  type NewVote,
  type StoredVote,
  stamp,
  storedVote,
  utcDay,
  type VoteStore,
  VotesUnavailable,
  type VoteTotal,
} from './vote.ts';

interface DailySecretOptions extends Required<Pick<VoteLogOptions, 'disk' | 'random' | 'warn'>> {
  /** The file of the secret, which only its owner can read. */
  path: string;
}

const shape = z.object({ day: z.iso.date(), secret: z.string().regex(/^[0-9a-f]{64}$/) });

/**
 * Keeps the secret of the pseudonyms of one UTC day in a file. It survives a restart; the secret of the next day overwrites it
 * (C5.22). Returns what finds the 32 bytes of a day (YYYY-MM-DD), whose first call makes and stores new ones.
 */
export function dailySecret({ path, disk, random, warn }: DailySecretOptions): (day: string) => Promise<Buffer> {
  let current: { day: string; secret: Promise<Buffer> } | null = null;

  async function load(day: string): Promise<Buffer> {
    const kept = await read();
    if (kept?.day === day) return Buffer.from(kept.secret, 'hex');
    const secret = random(32);
    const draft = `${path}.${random(6).toString('hex')}`;
    await replaceFile(disk, path, draft, Buffer.from(`${JSON.stringify({ day, secret: secret.toString('hex') })}\n`));
    return secret;
  }

  async function read(): Promise<z.infer<typeof shape> | undefined> {
    const text = await disk.readFile(path, 'utf8').catch(ifMissing(null));
    const kept = text === null ? undefined : parseLine(text, shape);
    if (text !== null && kept === undefined) {
      warn(
        `${path} is damaged, so a new secret is made. Readers who voted earlier today count as new voters from now on.`,
      );
    }
    return kept;
  }

  return (day) => {
    if (current?.day === day) return current.secret;
    // Two loads at the same time would each make a secret, so the second waits until the first succeeds or fails.
    const before = current?.secret.catch(() => {});
    const secret = Promise.resolve(before).then(() => load(day));
    const mine = { day, secret };
    current = mine;
    secret.catch(() => {
      if (current === mine) current = null;
    });
    return secret;
  };
}

/**
 * Replaces a file durably: after a crash, either the old or the new one is there. `draft` is a path that is free to
 * use.
 */
async function replaceFile(disk: Disk, path: string, draft: string, bytes: Buffer): Promise<void> {
  await createFile(disk, draft, bytes);
  await disk.rename(draft, path).catch(undo(() => disk.unlink(draft).catch(() => {})));
  await syncFolder(disk, dirname(path));
}

export interface VoteLogOptions
  extends Pick<JournalOptions<NewVote, StoredVote>, 'beatMs' | 'patienceMs' | 'retryMs' | 'startMs' | 'onPass'> {
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
  const journal = await openLastingJournal<NewVote, StoredVote>({ ...options, prepare }).catch((error) => {
    throw cannotUse(`The vote log ${options.file}`, error);
  });
  // The final path of the log is known only once it is open.
  const secrets = once(() => dailySecret({ path: `${journal.file}.secret`, disk, random, warn }));
  // The secret is replaced each day even without votes. If it cannot be stored, the next vote reports that.
  const renew = async () => {
    if (journal.isOpen()) await secrets()(utcDay(now())).catch(() => {});
  };
  await renew();
  const renewal = setInterval(renew, 60_000);
  renewal.unref();

  async function prepare(votes: readonly NewVote[]): Promise<readonly StoredVote[]> {
    const at = now();
    return stamp(votes, { at, secret: await secrets()(utcDay(at)), random });
  }

  return {
    async append(vote) {
      try {
        return await journal.append(vote);
      } catch (error) {
        throw new VotesUnavailable(error, !journal.isOpen());
      }
    },
    totals: () => countVotes(options.file),
    check: () => journal.check(),
    reopen: () => journal.reopen(),
    close() {
      clearInterval(renewal);
      return journal.close();
    },
  };
}

/**
 * Reads the votes of logs in turn, by `readParsed`, each vote once; none of a file that does not exist. A server may be writing to
 * a log, so a torn line is not reported.
 */
export async function* readVotes(files: readonly string[], onMalformed?: OnMalformed): AsyncGenerator<StoredVote> {
  const seen = new Set<string>();
  const report: OnMalformed = (line, path, isTorn) => isTorn || onMalformed?.(line, path, isTorn);
  for (const file of files) {
    for await (const vote of readParsed(file, storedVote, report)) {
      if (files.length > 1) {
        if (seen.has(vote.id)) continue;
        seen.add(vote.id);
      }
      yield vote;
    }
  }
}

/** Counts the votes of a log and its rotated files. They are in order, so only the voters of one day are in memory. */
async function countVotes(file: string): Promise<VoteTotal[]> {
  const totals = new Map<string, VoteTotal>();
  let [day, last] = ['', new Map<string, 'yes' | 'no'>()];
  for await (const { time, slug, vote, voter } of readVotes((await findLogs(file)).files)) {
    if (utcDay(new Date(time)) !== day) [day, last] = [utcDay(new Date(time)), new Map()];
    const total = totals.get(slug) ?? { slug, yes: 0, no: 0 };
    const before = last.get(`${slug} ${voter}`);
    if (before !== undefined) total[before] -= 1;
    total[vote] += 1;
    last.set(`${slug} ${voter}`, vote);
    totals.set(slug, total);
  }
  return [...totals.values()];
}

/**
 * Blanks the note of one vote in a log or a rotated file of one. Returns false if the vote has no note.
 *
 * All other lines stay byte for byte, and a crash leaves either the old or the new log. Rejects with OperationError if no
 * vote has the id, or while a server holds the lock of the log.
 */
export async function redact(options: VoteLogOptions, id: string): Promise<boolean> {
  const { disk = fs } = options;
  try {
    const file = await realPath(disk, options.file);
    return await withLock({ ...options, disk, file }, async () => {
      let match: Line | undefined;
      for await (const line of readLines(file)) match ??= voteOf(line, id);
      if (match === undefined) throw new OperationError(`No vote in ${file} has the id ${id}.`);
      if (match.note === undefined || match.note === '') return false;
      await rewriteLines({ file, draft: `${file}.redacting`, disk, change: (line) => blanked(line, id) });
      return true;
    });
  } catch (error) {
    if (hasCode(error, 'ENOENT'))
      throw new OperationError(`The vote log ${options.file} does not exist.`, { cause: error });
    throw cannotUse(`The vote log ${options.file}`, error);
  }
}

type Line = Record<string, unknown>;

/** The parsed line, if it is the vote with this id. */
function voteOf(line: Buffer, id: string): Line | undefined {
  // Parsing every line of a large log would be slow.
  if (!line.includes(id)) return undefined;
  const value = orElse(() => parseJsonLine(line.toString('utf8')) as Line | null, null);
  return value?.id === id ? value : undefined;
}

function blanked(line: Buffer, id: string): Buffer {
  const vote = voteOf(line, id);
  return vote === undefined ? line : Buffer.from(`${JSON.stringify({ ...vote, note: '' })}\n`);
}

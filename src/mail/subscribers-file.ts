import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { OperationError } from '../lib/errors.ts';
import { entry } from '../lib/groups.ts';
import { inTurn, once } from '../lib/lazy.ts';
import { cannotUse, type Disk, ifMissing, realPath } from '../storage/disk.ts';
import { openJournal, openLastingJournal, tornPath } from '../storage/journal.ts';
import {
  findLogs,
  isPacked,
  newline,
  type OnMalformed,
  parseLine,
  readLines,
  readParsed,
  rewriteLines,
  rotatedFiles,
} from '../storage/line-file.ts';
import { type LockOptions, withLock } from '../storage/lock.ts';
import { ProviderFailed, secretsOf } from './calls.ts';
import type { MailKey } from './consent.ts';
import {
  type Criterion,
  listNames,
  mailboxOf,
  type StoredSubscription,
  type SubscriberLog,
  type SubscriberProvider,
} from './provider.ts';

/** A time that PostgreSQL takes too. It has no year 0. */
const time = z.string().refine((text) => /^(?!0000)\d{4}-/.test(text) && !Number.isNaN(Date.parse(text)));
/** A text that PostgreSQL stores: it has no NUL. */
const word = z.string().refine((text) => !text.includes('\0'));

const subscription = z.object({
  id: word,
  time,
  email: word.min(1),
  list: z.enum(listNames),
  note: z.string().optional(),
  form: word.optional(),
  pending: z.literal(true).optional(),
});

/** The outcome of the subscription with this id. */
const event = z.object({ id: word, time, event: z.enum(['confirmed', 'unsubscribed', 'unsent']) });

/** The shape of a line of a file of subscribers. */
const storedLine = z.union([event, subscription]);

/** A line of a file of subscribers. */
type StoredLine = z.infer<typeof storedLine>;

/** The subscriptions in the lines of a file, with the outcome of each. */
export class SubscriptionIndex {
  /** All of them, in the order of the lines. */
  readonly all: StoredSubscription[] = [];
  readonly #byId = new Map<string, StoredSubscription>();
  readonly #byMailbox = new Map<string, StoredSubscription[]>();

  /** Adds the next line. The outcome of a subscription that was erased is ignored. */
  add(line: StoredLine): void {
    if (!('event' in line)) {
      const subscription = { ...line } as StoredSubscription;
      this.all.push(subscription);
      this.#byId.set(subscription.id, subscription);
      this.#ofMailbox(subscription.email).push(subscription);
      return;
    }
    const stored = this.#byId.get(line.id);
    if (stored === undefined) return;
    if (line.event === 'unsent') delete stored.pending;
    else if (line.event === 'confirmed') {
      if (stored.unsubscribed === undefined) stored.confirmed ??= line.time;
    } else {
      for (const subscription of this.find({ email: stored.email }))
        if (subscription.list === stored.list) subscription.unsubscribed ??= line.time;
    }
  }

  /** As `find` of SubscriptionStore. */
  find(criterion: Criterion): StoredSubscription[] {
    if ('id' in criterion) return [this.#byId.get(criterion.id)].filter((subscription) => subscription !== undefined);
    if ('mailbox' in criterion) return [...this.#ofMailbox(criterion.mailbox)];
    if ('list' in criterion) return this.all.filter(({ list }) => list === criterion.list);
    const address = criterion.email.toLowerCase();
    return this.#ofMailbox(address).filter(({ email }) => email.toLowerCase() === address);
  }

  #ofMailbox(address: string): StoredSubscription[] {
    return entry(this.#byMailbox, mailboxOf(address).mailbox, () => []);
  }
}

/** Refuses to send or copy with a line that cannot be read: if it were left out, a reader could get email again. */
const refuseMalformed: OnMalformed = (line, file, isTorn) => {
  const problem = `Line ${line} of ${file} cannot be read. It may say that a reader gets no more email.`;
  if (!isTorn) throw new OperationError(`${problem} Copy it from a backup, or delete it.`);
};

/**
 * Reads the subscriptions in a file, which another process may own: each call reads only what was added since the last one,
 * or everything if the file was replaced. Suppressed addresses are in `suppressed.jsonl` next to it, which has no lasting owner.
 */
export function fileSubscriptions(file: string, disk: Disk = fs) {
  const suppressed = suppressedPath(file);
  let index = new SubscriptionIndex();
  let read = { inode: 0, bytes: 0 };
  const reading = inTurn();
  /** The file has one owner at a time, also within this process. */
  const adding = inTurn();

  async function refresh(): Promise<void> {
    const { ino, size } = await disk.stat(file).catch(ifMissing({ ino: 0, size: 0 }));
    if (ino !== read.inode || size < read.bytes) {
      index = new SubscriptionIndex();
      read = { inode: ino, bytes: 0 };
      for (const rotated of (await logs()).files) if (rotated !== file) await addLines(rotated, 0);
    }
    if (size > read.bytes) read.bytes += await addLines(file, read.bytes);
  }

  /** Returns how many bytes were read: a line that is still being written is left for the next time. */
  async function addLines(path: string, start: number): Promise<number> {
    let bytes = 0;
    for await (const line of readLines(path, start)) {
      if (line.at(-1) !== newline) break;
      bytes += line.length;
      const parsed = parseLine(line, storedLine);
      if (parsed !== undefined) index.add(parsed);
    }
    return bytes;
  }

  /**
   * The file and its rotated files, in the order in which they were written. Compressed ones are not read, since erasing an
   * address does not reach them.
   */
  const logs = () => findLogs(file, (name) => !isPacked(name));

  /**
   * Reads all subscriptions, once; a server may be running. A missing file has none. Lines that cannot be read are left out, and
   * `onMalformed` is called as by `readParsed`.
   */
  async function all(onMalformed: OnMalformed): Promise<StoredSubscription[]> {
    const index = new SubscriptionIndex();
    for (const name of (await logs()).files)
      for await (const line of readParsed(name, storedLine, onMalformed)) index.add(line);
    return index.all;
  }

  const suppress = (hash: string, time: string) => adding(() => addSuppression(suppressed, { hash, time }, disk));

  return {
    find: (criterion: Criterion) => reading(() => refresh().then(() => index.find(criterion))),
    suppressions: () => readSuppressions(suppressed, refuseMalformed),
    suppress,
    logs,
    all,
    /** Throws OperationError if a line cannot be read. */
    check: async () => void (await all(refuseMalformed)),
    /**
     * Removes all lines with an address from the file, its torn lines and its rotated files. With the key of
     * emails, it also suppresses the address, so that no email is sent to it even if a backup is restored. Returns how many lines
     * were removed from all files, and the compressed files, which were not searched.
     *
     * Rejects with OperationError while a server holds the lock of the file, or if a file cannot be used.
     */
    async erase(
      address: string,
      { now, random, warn, key }: Pick<LockOptions, 'now' | 'random' | 'warn'> & { key: MailKey | null },
    ) {
      const path = await fs.realpath(file).catch(explain(file));
      const rotated = await rotatedFiles(path);
      const plain = [path, ...rotated.filter((name) => !isPacked(name))];
      let lines = 0;
      // First: if this command is interrupted, the next run may find no line that says whom to suppress.
      const before = once(async () => {
        if (key === null) return;
        await suppress(key.addressHash(address.trim()), now().toISOString()).catch(explain(suppressed));
      });
      for (const each of plain)
        lines += await eraseSubscriber(each, address, { now, random, warn, before }).catch(explain(each));
      return { lines, packed: rotated.filter(isPacked) };
    },
  };
}

/** The file of the suppressed addresses, next to a file of subscribers. */
const suppressedPath = (file: string) => join(dirname(file), 'suppressed.jsonl');

const suppression = z.object({ hash: word, time });
type Suppression = z.infer<typeof suppression>;

async function addSuppression(file: string, entry: Suppression, disk: Disk): Promise<void> {
  const journal = await openJournal<Suppression, Suppression>({
    file,
    prepare: (entries) => entries,
    now: () => new Date(),
    random: randomBytes,
    warn: () => {},
    // Another process has the file only while it adds an address.
    waitMs: 10_000,
    ownerOnly: true,
    disk,
  });
  await journal.append(entry).finally(() => journal.close());
}

async function readSuppressions(file: string, onMalformed?: OnMalformed): Promise<ReadonlyMap<string, string>> {
  const latest = new Map<string, string>();
  for await (const { hash, time } of readParsed(file, suppression, onMalformed))
    if (time > (latest.get(hash) ?? '')) latest.set(hash, time);
  return latest;
}

interface SubscriberFileTools {
  file: string;
  log: SubscriberLog;
  /** @default node:fs/promises */
  disk?: Disk;
}

/**
 * Stores subscriptions in a file of JSON lines `{id, time, email, list, note, form, pending}` that only its owner can read.
 * Later events are appended as lines `{id, time, event}`.
 *
 * An address that subscribes again is written again; readSubscribers merges its lines. So known addresses take as long as
 * new ones, and new notes are kept.
 *
 * While the disk fails, subscriptions are refused, and the file is reopened until that works. Throws OperationError if
 * another process has the file, or its path cannot be a file.
 */
export async function openSubscriberFile({ file, log, disk }: SubscriberFileTools): Promise<SubscriberProvider> {
  const provider = 'file';
  const journal = await openLastingJournal<StoredLine, StoredLine>({
    file,
    prepare: (lines) => lines.map(stored),
    now: () => new Date(),
    random: randomBytes,
    warn: (message) => log.warn({ provider, file }, message),
    ownerOnly: true,
    ...(disk && { disk }),
  }).catch((cause: unknown) => {
    throw cannotUse(`The subscriber file ${file}`, cause);
  });
  const { find, suppress } = fileSubscriptions(file, disk);
  return {
    name: provider,
    subscriptions: {
      find,
      suppress,
      // Readers can subscribe and confirm despite a damaged line: that brings no email to anyone who left.
      suppressions: () => readSuppressions(suppressedPath(file)),
      mark: async (id, event, time) => void (await journal.append({ id, time, event })),
    },
    async add(subscription) {
      try {
        await journal.append(subscription);
        return 'accepted';
      } catch (error) {
        const secrets = secretsOf(subscription.email, subscription.note);
        throw new ProviderFailed({ provider, reason: 'storage', isLogged: !journal.isOpen(), error, secrets });
      }
    },
    check: () => journal.check(),
    reopen: () => journal.reopen(),
    close: () => journal.close(),
  };
}

/** Copies the fields that are stored, and no others that a caller may have added. */
function stored(line: StoredLine): StoredLine {
  if ('event' in line) return line;
  // JSON has no place for values that are undefined.
  const { id, time, email, list, note, form, pending } = line;
  return { id, time, email, list, note, form, pending };
}

export interface EraseOptions extends Omit<LockOptions, 'file' | 'disk'> {
  /** Called before the first line is removed. If it fails, the file stays. */
  before?: () => Promise<void>;
  /** @default node:fs/promises */
  disk?: Disk;
}

/**
 * Removes all lines with an address, in any case, from a file of subscribers and its file of torn lines, and the lines that
 * say their outcome. Returns how many lines were removed. All other lines stay byte for byte.
 *
 * Takes the lock of the file, since a server would go on writing to the replaced file. Rejects with an OperationError
 * that names the owner of the lock. Each file is replaced in one step. Rotated files need a call each.
 */
export async function eraseSubscriber(path: string, address: string, options: EraseOptions): Promise<number> {
  const { disk = fs, before = async () => {} } = options;
  const normalized = address.trim().toLowerCase();
  const file = await realPath(disk, path).catch(ifMissing(null));
  // Without the folder there is no file, and the lock could not be created.
  if (normalized === '' || file === null) return 0;
  return withLock(
    { ...options, file, disk },
    async () => (await erase(file, normalized, disk, before)) + (await erase(tornPath(file), normalized, disk, before)),
  );
}

async function erase(file: string, address: string, disk: Disk, before: () => Promise<void>): Promise<number> {
  let count = 0;
  const ids = new Set<string>();
  for await (const line of readLines(file)) if (isOf(line, address, ids)) count += 1;
  if (count > 0) {
    await before();
    const change = (line: Buffer) => (isOf(line, address, ids) ? null : line);
    await rewriteLines({ file, draft: `${file}.erasing`, disk, mode: 0o600, change });
  }
  return count;
}

/**
 * Whether a line has the address or belongs to a subscription that has it; `ids` collects those. An unreadable line is
 * removed if it contains the address anywhere.
 */
function isOf(line: Buffer, address: string, ids: Set<string>): boolean {
  const parsed = parseLine(line, storedLine);
  if (parsed === undefined) return line.toString('utf8').toLowerCase().includes(address);
  if ('event' in parsed) return ids.has(parsed.id);
  if (parsed.email.toLowerCase() !== address) return false;
  ids.add(parsed.id);
  return true;
}

/** Throws a system error again as a sentence. */
function explain(file: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error instanceof OperationError || error.code === undefined) throw error;
    if (error.code === 'ENOENT')
      throw new OperationError(`The subscriber file ${file} does not exist.`, { cause: error });
    throw cannotUse(`The subscriber file ${file}`, error);
  };
}

import { randomBytes, randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { parseBoundedJson, TooDeep } from '../lib/bounded.ts';
import { OperationError } from '../lib/errors.ts';
import { sha256Of } from '../lib/files.ts';
import { inTurn } from '../lib/lazy.ts';
import { cannotUse, type Disk, ifMissing, undo } from '../storage/disk.ts';
import { openJournal } from '../storage/journal.ts';
import { newline, readLines } from '../storage/line-file.ts';
import { FileInUse } from '../storage/lock.ts';
import type { Database } from '../storage/postgres.ts';

/**
 * The outcome of the email to one subscription: `sending` was stored before the email was sent, and stays if the outcome is
 * unknown; `accepted`, `refused` and `ended` (the reader unsubscribed before) are final; `deferred` emails were not
 * sent and will be.
 */
const deliveryState = z.enum(['sending', 'accepted', 'refused', 'ended', 'deferred']);

/** The events of an announcement, in the order in which they are stored. Emails are named by the ids of subscriptions. */
const announcementEvent = z.discriminatedUnion('type', [
  // PostgreSQL stores no NUL.
  z.object({ type: z.literal('claimed'), key: z.string().regex(/^[^\0]*$/) }),
  z.object({ type: z.literal('drafted'), draft: z.string() }),
  z.object({ type: z.literal('sending') }),
  z.object({ type: z.literal('sent') }),
  /** It was certainly not sent. With `draft`, the draft is never looked at again. */
  z.object({ type: z.literal('unsent'), draft: z.string().optional() }),
  z.object({ type: z.literal('recipients'), ids: z.array(z.string()) }),
  z.object({ type: z.literal('delivery'), id: z.string(), state: deliveryState }),
]);

export type AnnouncementEvent = z.infer<typeof announcementEvent>;

const storedEvent = z.intersection(announcementEvent, z.object({ time: z.string() }));
type StoredEvent = z.infer<typeof storedEvent>;

/** The email to one recipient: one of these states, or nothing was done yet. */
export type Delivery = z.infer<typeof deliveryState> | 'waiting';

/** The state of an announcement. */
export interface Announcement {
  state: 'claimed' | 'sending' | 'sent';
  /** When it got this state: RFC 3339, UTC. */
  since: string;
  /** The id of its draft at the service. */
  draft: string | null;
  /** Drafts that a person gave up. */
  abandoned: readonly string[];
  /** The email to each recipient, by the id of the subscription; null until the recipients are known. */
  deliveries: ReadonlyMap<string, Delivery> | null;
}

/** Returns how many emails are in which state. */
export function countDeliveries({ deliveries }: Announcement): Record<Delivery, number> {
  const counts = { accepted: 0, waiting: 0, deferred: 0, sending: 0, refused: 0, ended: 0 };
  for (const state of deliveries?.values() ?? []) counts[state] += 1;
  return counts;
}

/** The right to send an announcement, which one process has at a time. */
export interface Claim {
  readonly announcement: Announcement;
  /** Stores an event durably, then changes `announcement`. Rejects if the right was lost; the event is then not stored. */
  append(event: AnnouncementEvent): Promise<void>;
  release(): Promise<void>;
}

/** The journal of all announcements. Several servers may share one. */
export interface AnnouncementJournal {
  /** Returns what is known of an announcement, or null. Anyone may ask at any time. */
  read(key: string): Promise<Announcement | null>;
  /** Takes the right to send it, durably. Rejects with an OperationError while another process has it. */
  claim(key: string): Promise<Claim>;
  /** Whether nothing was ever claimed, or the journal is lost. */
  isEmpty(): Promise<boolean>;
}

/** Why an announcement cannot be claimed. */
const sendingElsewhere =
  'Another process is sending this announcement. Wait until it ends, then run this command again.';

/** Keeps a file for each announcement in a folder, which only its owner can read. No file contains an address. */
export function announcementFiles(
  folder: string,
  { now, warn, disk = fs }: { now(): Date; warn(message: string): void; disk?: Disk },
): AnnouncementJournal {
  return {
    read: (key) => readEvents(fileOf(folder, key)),
    async claim(key) {
      const file = fileOf(folder, key);
      const unusable = (cause: unknown) => Promise.reject(cannotUse(`The announcement file ${file}`, cause));
      const journal = await openJournal<AnnouncementEvent, StoredEvent>({
        file,
        prepare: (events) => events.map((event) => ({ ...event, time: now().toISOString() })),
        now,
        random: randomBytes,
        warn,
        ownerOnly: true,
        disk,
      }).catch((error) => {
        if (!(error instanceof FileInUse)) return unusable(error);
        throw new OperationError(`${sendingElsewhere} It is ${error.who}.`, { cause: error });
      });
      const release = () => journal.close();
      const stored = await readEvents(file).catch(undo(release));
      return claimOf(key, stored, (event) => journal.append(event).catch(unusable), release).catch(undo(release));
    },
    isEmpty: async () => (await filesIn(folder)).length === 0,
  };
}

/** Returns the paths of the files of all announcements. */
async function filesIn(folder: string): Promise<string[]> {
  const names = await fs.readdir(folder).catch(ifMissing<string[]>([]));
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(folder, name));
}

/** Makes a claim of what is known so far. `store` stores an event durably. */
async function claimOf(
  key: string,
  earlier: Announcement | null,
  store: (event: AnnouncementEvent) => Promise<StoredEvent>,
  release: () => Promise<void>,
): Promise<Claim> {
  let announcement = earlier;
  const append = async (event: AnnouncementEvent) => {
    const stored = await store(event);
    announcement = after(announcement, stored);
  };
  if (announcement === null) await append({ type: 'claimed', key });
  return {
    get announcement() {
      return announcement as Announcement;
    },
    append,
    release,
  };
}

/** The name says what was announced; the hash keeps apart catalogs that share a folder. */
function fileOf(folder: string, key: string): string {
  const name = key.split(':').slice(-2).join('-');
  return join(folder, `${name}-${sha256Of(key).slice(0, 8)}.jsonl`);
}

/** An unreadable line is an error: if it were ignored, a reader could get the same email twice. */
async function readEvents(file: string): Promise<Announcement | null> {
  let announcement: Announcement | null = null;
  let number = 0;
  try {
    for await (const line of readLines(file)) {
      number += 1;
      // A line that is still being written was not acknowledged, so nothing was done because of it.
      if (line.at(-1) !== newline) break;
      const event = storedEvent.parse(parseBoundedJson(line.toString('utf8')));
      if (number === 1 && event.type !== 'claimed') throw new SyntaxError('The start of the file is missing.');
      announcement = after(announcement, event);
    }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TooDeep || error instanceof z.ZodError) {
      throw new OperationError(
        `Line ${number} of ${file} cannot be read, so nobody can tell what was sent. Restore the file from a backup.`,
      );
    }
    throw error;
  }
  return announcement;
}

/** Returns an announcement after another event. */
export function after(before: Announcement | null, event: StoredEvent): Announcement {
  const { time } = event;
  const announcement = before ?? { state: 'claimed', since: time, draft: null, abandoned: [], deliveries: null };
  switch (event.type) {
    case 'claimed':
      return announcement;
    case 'drafted':
      return { ...announcement, draft: event.draft };
    case 'sending':
    case 'sent':
      return { ...announcement, state: event.type, since: time };
    case 'unsent': {
      const abandoned = announcement.abandoned.concat(event.draft ?? []);
      return { ...announcement, state: 'claimed', since: time, draft: null, abandoned };
    }
    case 'recipients':
      return { ...announcement, deliveries: new Map(event.ids.map((id) => [id, 'waiting'])) };
    case 'delivery':
      // Changed in place: copying the map for each email would take too long.
      (announcement.deliveries as Map<string, string> | null)?.set(event.id, event.state);
      return announcement;
  }
}

/** How long a claim lasts if its process does not extend it, and how often it does, in milliseconds. */
const claim = { lastsMs: 30_000, beatMs: 5_000 };

/**
 * Keeps announcements in a database, so that any server may send one and only one does. The right to send is a claim that
 * expires. Each event has a number, so a process that lost its claim without noticing cannot store another one.
 */
export function announcementDatabase(
  database: Database,
  now: () => Date,
): AnnouncementJournal & { import(folder: string): Promise<void> } {
  async function events(key: string): Promise<{ count: number; announcement: Announcement | null }> {
    const text = 'SELECT event FROM catalog_announcements WHERE key = $1 ORDER BY number';
    const rows = await database.query<{ event: string }>(text, [key]);
    let announcement: Announcement | null = null;
    for (const [index, { event }] of rows.entries()) {
      try {
        announcement = after(announcement, storedEvent.parse(JSON.parse(event)));
      } catch (cause) {
        const message = `Event ${index + 1} of ${key} in the database cannot be read, so nobody can tell what was sent.`;
        throw new OperationError(message, { cause });
      }
    }
    return { count: rows.length, announcement };
  }

  return {
    read: async (key) => (await events(key)).announcement,
    async claim(key) {
      const token = randomUUID();
      const expires = `now() + interval '${claim.lastsMs} milliseconds'`;
      const taken = await database.query(
        `INSERT INTO catalog_announcement_claims (key, token, expires) VALUES ($1, $2, ${expires})
          ON CONFLICT (key) DO UPDATE SET token = excluded.token, expires = excluded.expires
          WHERE catalog_announcement_claims.expires < now() RETURNING 1`,
        [key, token],
      );
      if (taken.length === 0) throw new OperationError(sendingElsewhere);
      const extend = `UPDATE catalog_announcement_claims SET expires = ${expires} WHERE key = $1 AND token = $2`;
      const beat = setInterval(() => void database.query(extend, [key, token]).catch(() => {}), claim.beatMs);
      beat.unref();
      const release = async () => {
        clearInterval(beat);
        await database.query('DELETE FROM catalog_announcement_claims WHERE key = $1 AND token = $2', [key, token]);
      };
      const history = await events(key).catch(undo(release));
      let { count } = history;
      const store = async (event: AnnouncementEvent) => {
        const stored = { ...event, time: now().toISOString() };
        const text = `INSERT INTO catalog_announcements (key, number, event)
          SELECT key, $3::integer, $4::text FROM catalog_announcement_claims WHERE key = $1 AND token = $2
          ON CONFLICT (key, number) DO NOTHING RETURNING 1`;
        const rows = await database.query(text, [key, token, count + 1, JSON.stringify(stored)]);
        if (rows.length === 0) throw new OperationError('Another process has taken over this announcement.');
        count += 1;
        return stored;
      };
      // Emails are sent several at once, and each event needs a number of its own.
      const storing = inTurn();
      return claimOf(key, history.announcement, (event) => storing(() => store(event)), release).catch(undo(release));
    },
    isEmpty: async () => (await database.query('SELECT 1 FROM catalog_announcements LIMIT 1')).length === 0,
    /** Copies the announcements in a folder into the database, each event once. */
    async import(folder) {
      for (const file of await filesIn(folder)) {
        if ((await readEvents(file)) === null) continue;
        const lines = (await fs.readFile(file, 'utf8')).split('\n').slice(0, -1);
        const { key } = JSON.parse(lines[0] ?? '') as { key: string };
        const text = `INSERT INTO catalog_announcements (key, number, event)
          SELECT $1, number, event FROM unnest($2::text[]) WITH ORDINALITY AS line (event, number) ON CONFLICT DO NOTHING`;
        await database.query(text, [key, lines]);
      }
    },
  };
}

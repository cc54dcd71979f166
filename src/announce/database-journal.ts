import { randomUUID } from 'node:crypto';
import type { Database } from '../database/connections.ts';
import { OperationError } from '../errors.ts';
import {
  type Announcement,
  type AnnouncementEvent,
  type AnnouncementJournal,
  after,
  sendingElsewhere,
  storedEvent,
} from './journal.ts';

/** How long a claim lasts if its process does not extend it, and how often it does, in milliseconds. */
const claim = { lastsMs: 30_000, beatMs: 5_000 };

/**
 * Keeps announcements in a database, so that any server may send one and only one does. The right to send is a claim that
 * expires. Each event has a number, so a process that lost its claim without noticing cannot store another one.
 */
export function announcementDatabase(database: Database, now: () => Date): AnnouncementJournal {
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
      let { count, announcement } = await events(key).catch(async (error) => {
        await release();
        throw error;
      });
      const store = async (event: AnnouncementEvent) => {
        const stored = { ...event, time: now().toISOString() };
        const text = `INSERT INTO catalog_announcements (key, number, event)
          SELECT key, $3::integer, $4::text FROM catalog_announcement_claims WHERE key = $1 AND token = $2
          ON CONFLICT (key, number) DO NOTHING RETURNING 1`;
        const rows = await database.query(text, [key, token, count + 1, JSON.stringify(stored)]);
        if (rows.length === 0) throw new OperationError('Another process has taken over this announcement.');
        count += 1;
        announcement = after(announcement, stored);
      };
      // Mails are sent several at once, and each event needs a number of its own.
      let turn: Promise<unknown> = Promise.resolve();
      const record = (event: AnnouncementEvent) => {
        const stored = turn.then(() => store(event));
        turn = stored.catch(() => {});
        return stored;
      };
      if (announcement === null) await record({ type: 'claimed', key });
      return {
        key,
        get announcement() {
          return announcement as Announcement;
        },
        record,
        release,
      };
    },
  };
}

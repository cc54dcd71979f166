import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnnouncementEvent, AnnouncementJournal } from '../../../src/mail/announcement-journal.ts';
import { announcementDatabase } from '../../../src/mail/announcement-journal.ts';
import { type Database, openDatabase } from '../../../src/storage/postgres.ts';
import { rejection } from '../../support/journal.ts';
import { loud } from '../../support/loud.ts';
import { execSql, type Postgres, startPostgres } from '../../support/postgres.ts';

/** The memory of what was announced, in PostgreSQL: any server may send, and only one does. */

let postgres: Postgres;
let url: string;
let database: Database;
/** The journal as two servers see it. */
let here: AnnouncementJournal;
let there: AnnouncementJournal;
test.before(
  loud(async () => {
    postgres = await startPostgres();
    url = await postgres.database();
    database = openDatabase({ url, warn: () => {} });
    const now = () => new Date('2026-11-20T08:00:00Z');
    here = announcementDatabase(database, now);
    there = announcementDatabase(database, now);
  }),
);
test.after(
  loud(async () => {
    await database?.close();
    await postgres?.stop();
  }),
);

test('what one server recorded is known to all', async () => {
  assert.is(await there.read('a'), null);
  const claim = await here.claim('a');
  await claim.append({ type: 'drafted', draft: 'd1' });
  await claim.append({ type: 'sending' });
  await claim.append({ type: 'recipients', ids: ['r', 's'] });
  await claim.append({ type: 'delivery', id: 'r', state: 'accepted' });
  await claim.release();
  const deliveries = new Map([
    ['r', 'accepted'],
    ['s', 'waiting'],
  ]);
  const known = { state: 'sending', since: '2026-11-20T08:00:00.000Z', draft: 'd1', abandoned: [], deliveries };
  assert.equal(await there.read('a'), known);
  const next = await there.claim('a');
  assert.equal(next.announcement, known);
  await next.append({ type: 'sent' });
  await next.release();
  assert.is((await here.read('a'))?.state, 'sent');
});

test('events of several emails that are recorded at the same time are all kept', async () => {
  const ids = Array.from({ length: 20 }, (_, at) => `r${at}`);
  const claim = await here.claim('many');
  await claim.append({ type: 'recipients', ids });
  // The first one cannot be stored, while the others wait for their turn.
  const unstorable = { type: 'delivery', id: 1n, state: 'accepted' } as unknown as AnnouncementEvent;
  const failed = rejection(claim.append(unstorable));
  await Promise.all(ids.map((id) => claim.append({ type: 'delivery', id, state: 'accepted' })));
  assert.instance(await failed, TypeError);
  await claim.release();
  assert.equal((await there.read('many'))?.deliveries, new Map(ids.map((id) => [id, 'accepted'])));
});

test('of servers that claim an announcement at the same time, one gets it', async () => {
  const claims = await Promise.allSettled([here, there, here, there].map((journal) => journal.claim('b')));
  const reasons = claims.flatMap((claim) => (claim.status === 'rejected' ? [claim.reason] : []));
  assert.equal(
    reasons.map(({ name, message }) => `${name}: ${message}`),
    Array(3).fill(
      'OperationError: Another process is sending this announcement. Wait until it ends, then run this command again.',
    ),
  );
  await (await there.claim('b-other')).release();
  for (const claim of claims) if (claim.status === 'fulfilled') await claim.value.release();
  await (await there.claim('b')).release();
});

test('a server whose claim expired can record nothing more once another one has taken over', async () => {
  const lost = await here.claim('c');
  await lost.append({ type: 'sending' });
  await execSql(url, "UPDATE catalog_announcement_claims SET expires = now() - interval '1 second' WHERE key = 'c'");
  const taken = await there.claim('c');
  const refused = await rejection(lost.append({ type: 'sent' }));
  assert.is(refused?.message, 'Another process has taken over this announcement.');
  await lost.release();
  assert.ok(await rejection(here.claim('c')), 'releasing a lost claim released the claim of the other server');
  await taken.append({ type: 'unsent' });
  assert.is((await here.read('c'))?.state, 'claimed');
  await taken.release();
});

test('an event that cannot be read stops everything', async () => {
  await (await here.claim('d')).release();
  await execSql(url, `INSERT INTO catalog_announcements VALUES ('d', 2, '{"type":"stent"}')`);
  for (const use of [() => here.read('d'), () => there.claim('d'), () => here.claim('d')]) {
    const { message } = (await rejection(use())) ?? {};
    assert.is(message, 'Event 2 of d in the database cannot be read, so nobody can tell what was sent.');
  }
});

test.run();

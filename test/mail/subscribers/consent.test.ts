import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Claims } from '../../../src/mail/consent.ts';
import { Consent, type ConsentTools, MailKey, recipients, toAsk } from '../../../src/mail/consent.ts';
import type { ListName, SubscriberProvider, Subscription, SubscriptionStore } from '../../../src/mail/provider.ts';
import { databaseSubscriptions, openSubscriberDatabase } from '../../../src/mail/subscribers-database.ts';
import { fileSubscriptions, openSubscriberFile } from '../../../src/mail/subscribers-file.ts';
import { openDatabase } from '../../../src/storage/postgres.ts';
import { loud } from '../../support/loud.ts';
import { type Postgres, startPostgres } from '../../support/postgres.ts';
import { withFolder } from '../../support/subscribers-file.ts';

/** Who gets emails: the rules, on a real file. */

const key = new MailKey(Buffer.alloc(32, 7));
const claims = (id: string): Claims => ({ v: 1, purpose: 'confirm', id, list: 'daily' });
const start = Date.parse('2026-11-22T10:00:00Z');
const minutes = (count: number) => count * 60_000;
const days = (count: number) => count * 24 * 60 * 60_000;

interface Tried extends ConsentTools {
  consent: Consent;
  /** The same subscriptions, as another process sees them. */
  elsewhere: SubscriptionStore;
  /** Goes to a time after the start. */
  at(ms: number): void;
  /** Stores a subscription, and says whether its address would be asked to confirm it. */
  subscribe(id: string, email?: string, list?: ListName): Promise<boolean>;
  /** Stores a subscription, perhaps one of a time without emails, which is not pending. */
  add(fields: Omit<Subscription, 'time'>): Promise<void>;
  /** The addresses that get the daily email. */
  mailed(): Promise<string[]>;
}

/** Runs `work` with an empty store, and with its subscriptions as another process sees them. */
type Open = (work: (provider: SubscriberProvider, elsewhere: SubscriptionStore) => Promise<void>) => Promise<void>;

let postgres: Promise<Postgres> | undefined;
test.after(loud(async () => void (await (await postgres)?.stop())));

const stores: [name: string, open: Open][] = [
  [
    'in a file',
    (work) =>
      withFolder(async (path) => {
        const provider = await openSubscriberFile({ file: path, log: { warn: () => {} } });
        const elsewhere = { ...fileSubscriptions(path), mark: async () => assert.unreachable() };
        await work(provider, elsewhere).finally(() => provider.close?.());
      }),
  ],
  [
    'in PostgreSQL',
    async (work) => {
      postgres ??= startPostgres();
      const database = openDatabase({ url: await (await postgres).database(), warn: () => {} });
      await work(openSubscriberDatabase(database), databaseSubscriptions(database)).finally(() => database.close());
    },
  ],
];

for (const [name, open] of stores) {
  const withConsent = (work: (tried: Tried) => Promise<void>): Promise<void> =>
    open(async (provider, elsewhere) => {
      let time = start;
      const subscriptions = provider.subscriptions as SubscriptionStore;
      const tools = { subscriptions, key, now: () => time };
      const add = async (fields: Omit<Subscription, 'time'>) =>
        void (await provider.add({ time: new Date(time).toISOString(), ...fields }, AbortSignal.timeout(10_000)));
      await work({
        ...tools,
        consent: new Consent(tools, null),
        elsewhere,
        at(ms) {
          time = start + ms;
        },
        async subscribe(id, email = 'ann@example.com', list = 'daily') {
          await add({ id, email, list, pending: true });
          return (await toAsk(id, tools)) !== null;
        },
        add,
        mailed: async () => (await recipients('daily', { subscriptions: elsewhere, key })).map(({ email }) => email),
      });
    });

  test(`nobody gets email before confirming it, and each address gets one, ${name}`, () =>
    withConsent(async ({ subscribe, mailed, ...tools }) => {
      assert.is(await subscribe('1'), true);
      assert.is(await subscribe('2', 'bob@example.com'), true);
      assert.is(await subscribe('3', 'cat@example.com', 'pro'), true);
      assert.equal(await mailed(), []);
      assert.is(await tools.consent.confirm(claims('1')), true);
      assert.is(await tools.consent.confirm(claims('3')), true);
      assert.equal(await mailed(), ['ann@example.com']);
      await subscribe('4', 'ANN@example.com');
      assert.is(await tools.consent.confirm(claims('4')), true);
      assert.equal(await mailed(), ['ann@example.com']);
    }));

  test(`two clicks at once confirm once, and a click later changes nothing, ${name}`, () =>
    withConsent(async ({ subscribe, at, ...tools }) => {
      await subscribe('1');
      assert.equal(await Promise.all([tools.consent.confirm(claims('1')), tools.consent.confirm(claims('1'))]), [
        true,
        true,
      ]);
      at(days(1));
      assert.is(await tools.consent.confirm(claims('1')), true);
      assert.equal(
        (await tools.subscriptions.find({ id: '1' })).map(({ confirmed }) => confirmed),
        ['2026-11-22T10:00:00.000Z'],
      );
    }));

  test(`a click that arrives while its reader leaves the list confirms nothing, ${name}`, () =>
    withConsent(async ({ subscribe, elsewhere, ...tools }) => {
      await subscribe('1');
      await tools.subscriptions.mark('1', 'unsubscribed', '2026-11-22T10:00:01.000Z');
      await tools.subscriptions.mark('1', 'confirmed', '2026-11-22T10:00:02.000Z');
      assert.equal(
        (await elsewhere.find({ id: '1' })).map(({ confirmed }) => confirmed),
        [undefined],
      );
    }));

  test(`an address stays suppressed since the latest time, ${name}`, () =>
    withConsent(async ({ elsewhere }) => {
      for (const day of ['20', '22', '21']) await elsewhere.suppress('hash', `2026-11-${day}T10:00:00.000Z`);
      assert.equal([...(await elsewhere.suppressions())], [['hash', '2026-11-22T10:00:00.000Z']]);
    }));

  test(`leaving a list ends all subscriptions to it, and no old link brings them back, ${name}`, () =>
    withConsent(async ({ subscribe, mailed, at, ...tools }) => {
      await subscribe('1');
      await subscribe('2', 'Ann@example.com');
      await subscribe('3', 'ann@example.com', 'pro');
      for (const id of ['1', '2', '3']) await tools.consent.confirm(claims(id));
      at(days(1));
      await tools.consent.unsubscribe(claims('1'));
      await tools.consent.unsubscribe(claims('1'));
      assert.equal(await mailed(), []);
      assert.is((await recipients('pro', tools)).length, 1);
      for (const id of ['1', '2']) assert.is(await tools.consent.confirm(claims(id)), false);
      at(days(8));
      assert.is(await subscribe('4'), true);
      assert.is(await tools.consent.confirm(claims('4')), true);
      assert.equal(await mailed(), ['ann@example.com']);
    }));

  test(`the link of an older email ends a newer subscription too, ${name}`, () =>
    withConsent(async ({ subscribe, mailed, ...tools }) => {
      await subscribe('1');
      await tools.consent.confirm(claims('1'));
      await tools.consent.unsubscribe(claims('1'));
      await subscribe('2');
      await tools.consent.confirm(claims('2'));
      assert.equal(await mailed(), ['ann@example.com']);
      await tools.consent.unsubscribe(claims('1'));
      assert.equal(await mailed(), []);
    }));

  test(`a subscription that was erased cannot be confirmed, and leaving its list succeeds, ${name}`, () =>
    withConsent(async (tools) => {
      assert.is(await tools.consent.confirm(claims('gone')), false);
      await tools.consent.unsubscribe(claims('gone'));
    }));

  test(`an address that gets the list is not asked again, ${name}`, () =>
    withConsent(async ({ subscribe, at, ...tools }) => {
      await subscribe('1');
      await tools.consent.confirm(claims('1'));
      at(days(30));
      assert.is(await subscribe('2', 'ANN@example.com'), false);
      assert.is(await subscribe('3', 'ann@example.com', 'pro'), true);
    }));

  test(`an address is asked once in ten minutes for a list, and three times in seven days for all, ${name}`, () =>
    withConsent(async ({ subscribe, at }) => {
      assert.is(await subscribe('1'), true);
      at(minutes(9));
      assert.is(await subscribe('2', 'Ann@Example.com'), false);
      assert.is(await subscribe('3', 'bob@example.com'), true);
      at(minutes(20));
      assert.is(await subscribe('4'), true);
      // The second request shared the email of the first one.
      at(minutes(40));
      assert.is(await subscribe('5', 'ann@example.com', 'custom'), true);
      at(minutes(60));
      assert.is(await subscribe('6', 'ann@example.com', 'pro'), false);
      at(days(7) + minutes(41));
      assert.is(await subscribe('7'), true);
    }));

  test(`an address is asked again after ten minutes, or at once if it left before it confirmed, ${name}`, () =>
    withConsent(async ({ subscribe, add, at, ...tools }) => {
      assert.is(await subscribe('1'), true);
      assert.is(await subscribe('2', 'bob@example.com'), true);
      await tools.consent.unsubscribe(claims('2'));
      at(minutes(1));
      assert.is(await subscribe('3', 'bob@example.com'), true);
      at(minutes(10));
      assert.is(await subscribe('4'), true);
      // Of these, no email asked for a confirmation.
      for (const id of ['5', '6', '7']) await add({ id, email: 'cat@example.com', list: 'daily' });
      assert.is(await subscribe('8', 'cat@example.com'), true);
    }));

  test(`an email that was not sent does not keep its reader from being asked, ${name}`, () =>
    withConsent(async ({ subscribe, mailed, ...tools }) => {
      for (const id of ['1', '2', '3', '4']) {
        assert.is(await subscribe(id), true);
        await tools.subscriptions.mark(id, 'unsent', '2026-11-22T10:00:00.000Z');
      }
      assert.is(await subscribe('5'), true);
      assert.is(await tools.consent.confirm(claims('5')), true);
      assert.equal(await mailed(), ['ann@example.com']);
    }));

  test(`however often somebody types an address, it gets three emails a week at most, ${name}`, () =>
    withConsent(async ({ subscribe, at }) => {
      let asked = 0;
      for (let hour = 0; hour < 24 * 14; hour += 1) {
        at(minutes(60 * hour));
        if (await subscribe(String(hour), hour % 2 === 0 ? 'Ann@example.com' : 'ann@EXAMPLE.com')) asked += 1;
      }
      assert.is(asked, 3);
    }));

  test(`however many addresses of one mailbox somebody types, it gets three emails in seven days, ${name}`, () =>
    withConsent(async ({ subscribe, add, at, mailed, ...tools }) => {
      const ways = [
        'ann.r@gmail.com',
        'Ann.R+1@gmail.com',
        'annr+2+3@googlemail.com',
        'a.n.n.r@gmail.com',
        'ANNR@gmail.com',
      ];
      const asked = [];
      for (const [at, email] of ways.entries()) asked.push(await subscribe(`g${at}`, email));
      assert.equal(asked, [true, true, true, false, false]);
      const tagged = [];
      for (let tag = 0; tag < 5; tag += 1) tagged.push(await subscribe(`t${tag}`, `bob+${tag}@example.com`));
      assert.equal(tagged, [true, true, true, false, false]);
      // Other mailboxes, whatever their addresses have in common.
      for (const [at, email] of ['bo@example.com', 'b.ob@example.com', '+bob@example.com', 'bob@example.org'].entries())
        assert.is(await subscribe(`o${at}`, email), true, email);
      // Each address is confirmed, and gets emails, as it was typed.
      assert.is(await tools.consent.confirm(claims('t1')), true);
      assert.is(await tools.consent.confirm(claims('g1')), true);
      assert.equal(await mailed(), ['Ann.R+1@gmail.com', 'bob+1@example.com']);
      at(days(7) - 1);
      assert.is(await subscribe('late', 'bob+9@example.com'), false);
      // The three of the start no longer count, but the three requests after them do not expire with them.
      at(days(15));
      assert.is(await subscribe('later', 'bob+10@example.com'), true);
    }));

  test(`a suppressed address gets email again only after its owner confirms again, ${name}`, () =>
    withConsent(async ({ subscribe, mailed, at, elsewhere, ...tools }) => {
      await subscribe('1');
      await tools.consent.confirm(claims('1'));
      at(days(10));
      await elsewhere.suppress(key.addressHash('ANN@example.com'), new Date(tools.now()).toISOString());
      assert.equal(await mailed(), []);
      at(days(11));
      assert.is(await subscribe('2'), true);
      assert.is(
        await tools.consent.confirm(claims('1')),
        false,
        'the link of an earlier email does not promise emails',
      );
      assert.equal(await mailed(), []);
      // The clock was ahead, and is set right.
      at(days(9));
      await tools.consent.confirm(claims('2'));
      assert.equal(await mailed(), ['ann@example.com']);
      // Erased in the same millisecond.
      await subscribe('3', 'bob@example.com');
      await tools.consent.confirm(claims('3'));
      // The latest time counts, in any order, as after an import.
      for (const time of [start, tools.now(), start]) {
        await elsewhere.suppress(key.addressHash('bob@example.com'), new Date(time).toISOString());
      }
      assert.equal(await mailed(), ['ann@example.com']);
    }));
}

test.run();

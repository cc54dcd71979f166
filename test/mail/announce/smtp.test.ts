import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OperationError } from '../../../src/lib/errors.ts';
import { MailKey } from '../../../src/mail/consent.ts';
import type { SubscriptionStore } from '../../../src/mail/provider.ts';
import { fileSubscriptions } from '../../../src/mail/subscribers-file.ts';
import { inFolder, writeCatalog } from '../../support/catalog.ts';
import { goodPrompt } from '../../support/good-agent.ts';
import {
  announcementOf,
  journalIn,
  planIn,
  postalAddress,
  resolveAll,
  smallSubject,
} from '../../support/mail/announcing.ts';
import { addReaders, addressOf, endReader, idOf, mailKey } from '../../support/mail/readers.ts';
import { numbers, type Place, recipientsOf, refuse, withReaders } from '../../support/mail/with-readers.ts';
import { withStillClock } from '../../support/until.ts';

/** Announcements over SMTP, to a real server: each confirmed reader gets one email, whatever the server does. */

const key = new MailKey(Buffer.from(mailKey));

test('each confirmed reader gets one email with a link and a header of their own to unsubscribe', () =>
  withReaders(numbers(3).map(addressOf), async ({ data, mailbox, send }) => {
    addReaders(data, ['waiting@example.com'], 'daily', '');
    addReaders(data, ['other-list@example.com'], 'pro');
    addReaders(data, ['READER1@example.com']);
    await inFolder(async (folder) => {
      writeCatalog(folder, [{ slug: 'one', date: '2026-11-20' }], { postalAddress });
      assert.is((await send(planIn(folder, '2026-11-20'))).outcome, 'sent');
      assert.is((await send(planIn(folder, '2026-11-20'))).outcome, 'sent');
    });
    assert.equal(recipientsOf(mailbox), numbers(3).map(addressOf));
    const links = mailbox.mails.map(({ recipient, raw, html, text, subject, messageId, headers }) => {
      assert.is(subject, 'The one agent (No. 1)');
      const [, link = ''] = /^List-Unsubscribe: <(https:\S+)>\r$/m.exec(raw) ?? [];
      assert.match(raw, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
      assert.match(JSON.stringify(headers.get('list')), '"id":"daily.press.example"');
      assert.ok(String(html).includes(`href="${link}"`) && text?.includes(`Unsubscribe: ${link}\n`));
      assert.not.match(`${html}${text}`, /unsubscribe\.invalid/);
      assert.ok(text?.includes(goodPrompt.trimEnd()));
      assert.match(`${text}`, postalAddress);
      const token = new URL(link).searchParams.get('token') ?? '';
      const claims = key.readToken(token, 'unsubscribe', Date.parse('2036-01-01'));
      assert.equal(claims, { v: 1, purpose: 'unsubscribe', id: idOf(recipient), list: 'daily' });
      assert.not.match(messageId ?? '', /reader/);
      return [link, messageId];
    });
    assert.is(new Set(links.flat()).size, 6);
  }));

test('the emails of two days differ for a mailbox that drops repeated ones', () =>
  withReaders(numbers(2).map(addressOf), async ({ mailbox, send }) => {
    await inFolder(async (folder) => {
      const agents = ['2026-11-20', '2026-11-21'].map((date) => ({ slug: `of-${date}`, date }));
      writeCatalog(folder, agents, { postalAddress });
      for (const { date } of agents) assert.is((await send(planIn(folder, date))).outcome, 'sent');
    });
    assert.is(new Set(mailbox.mails.map(({ messageId }) => messageId)).size, 4);
  }));

test('after Ctrl-C, no further email is sent, and the next run sends the rest', () =>
  withReaders(numbers(3).map(addressOf), async ({ mailbox, send }) => {
    assert.is((await send(smallSubject(), { signal: AbortSignal.abort() })).outcome, 'incomplete');
    assert.equal(mailbox.mails, []);
    assert.is((await send()).outcome, 'sent');
    assert.equal(recipientsOf(mailbox), numbers(3).map(addressOf));
  }));

test('an address that could change the envelope gets no email, and does not stop the others', () =>
  withReaders(['ann@example.com>,<eve@example.com', 'bob@example.com'], async ({ mailbox, send }) => {
    const { outcome, deliveries } = await send();
    assert.is(outcome, 'sent');
    assert.equal(deliveries, { accepted: 1, waiting: 0, deferred: 0, sending: 0, refused: 1, ended: 0 });
    assert.equal(recipientsOf(mailbox), ['bob@example.com']);
  }));

test('the journal names no address', () =>
  withReaders(['ann@example.com'], async ({ data, send }) => {
    const result = await send();
    const folder = join(data, 'announcements');
    const stored = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    assert.not.match(`${stored}${inspect(result)}`, /ann@|example\.com/);
  }));

test('a reader who leaves while emails are being sent gets none, even one whose email the mail server keeps waiting', async () => {
  let leave = (_address: string) => {};
  await withReaders(
    numbers(8).map(addressOf),
    async ({ data, mailbox, send }) => {
      let waiting = '';
      leave = (address) => {
        for (const reader of [address, addressOf(8)]) endReader(data, reader);
        waiting = address;
        leave = () => {};
      };
      assert.match((await send()).message, /: 6 of 8 emails\. Unsubscribed meanwhile: 2\.$/);
      const others = numbers(7).map(addressOf);
      assert.equal(
        recipientsOf(mailbox),
        others.filter((reader) => reader !== waiting),
      );
    },
    {
      onRcptTo({ address }, _session, done) {
        leave(address);
        done();
      },
    },
  );
});

test('an email whose answer is lost is never repeated until a person decides', async () => {
  let place: Place | undefined;
  let texts = 0;
  await withReaders(
    ['a@example.com'],
    async (given) => {
      place = given;
      for (const run of [1, 2]) {
        const { outcome, message } = await given.send();
        assert.is(outcome, 'uncertain', `run ${run}`);
        assert.match(
          message,
          /: 0 of 1 email\. Perhaps sent, so not repeated: 1\. .* List them with --uncertain, .* with --resolve\.$/,
        );
      }
      const plan = announcementOf(smallSubject());
      const said = await resolveAll(plan, journalIn(given.data), true);
      assert.is(said, '1 email of No. 1 will not be sent again.');
      assert.is((await journalIn(given.data).read(plan.subject.key))?.state, 'sent');
      assert.is((await given.send()).outcome, 'sent');
      assert.is(texts, 1);
    },
    {
      onData(stream) {
        texts += 1;
        stream.resume().on('end', () => place?.mailbox.drop());
      },
    },
  );
});

test('a person settles one email after the other: the others wait, and the announcement is done with the last one', async () => {
  let place: Place | undefined;
  await withReaders(
    ['a@example.com', 'b=c@example.com', 'gone@example.com', 'd@example.com'],
    async (given) => {
      place = given;
      // Each run loses the answer to the first of the emails that are left.
      for (let run = 0; run < 4; run += 1) await given.send();
      const plan = announcementOf(smallSubject());
      const file = join(given.data, 'signups.jsonl');
      writeFileSync(file, readFileSync(file, 'utf8').replace(/^.*gone@.*\n/m, ''));
      const [journal, subscriptions] = [journalIn(given.data), fileSubscriptions(file)];
      const mails = await plan.uncertainMails(journal, subscriptions);
      assert.equal(
        mails.map(({ recipient }) => recipient),
        ['a@example.com', 'b=c@example.com', null, 'd@example.com'],
      );
      const settle = (...decisions: [mail: string | null, sent: boolean][]) =>
        plan
          .resolve(
            journal,
            decisions.map(([mail, sent]) => ({ mail, sent })),
            subscriptions,
          )
          .catch((error: Error) => error.message);
      const wrong = await settle(['a@example.com', true], ['nobody@example.com', true]);
      assert.is(wrong, 'No email of No. 1 that matches nobody@example.com has an unknown outcome.');
      assert.is((await plan.uncertainMails(journal, subscriptions)).length, 4);
      const erased = `<${mails[2]?.messageHash}@press.example>`;
      assert.is(
        await settle(['A@example.com', true], [erased, true]),
        '2 emails of No. 1 will not be sent again. Still unknown: 2.',
      );
      assert.is((await journal.read(plan.subject.key))?.state, 'claimed');
      assert.match(await settle(['a@example.com', false]), /^No email of No\. 1 that matches a@/);
      assert.is(
        await settle(['b=c@example.com', false]),
        '1 email of No. 1 will be sent by the next run. Still unknown: 1.',
      );
      assert.is(await settle([null, true]), '1 email of No. 1 will not be sent again.');
      assert.is((await journal.read(plan.subject.key))?.state, 'claimed');
      place = undefined;
      assert.is((await given.send()).outcome, 'sent');
      assert.is((await journal.read(plan.subject.key))?.state, 'sent');
    },
    {
      onData(stream, _session, done) {
        stream.resume().on('end', () => (place === undefined ? done() : place.mailbox.drop()));
      },
    },
  );
});

test('connections that break before the text are no question: the emails are sent by the next run', async () => {
  let place: Place | undefined;
  let broken = true;
  await withReaders(
    numbers(20).map(addressOf),
    async (given) => {
      place = given;
      const { outcome, deliveries } = await given.send();
      assert.is(outcome, 'incomplete');
      assert.is((deliveries as { sending: number }).sending, 0);
      broken = false;
      assert.is((await given.send()).outcome, 'sent');
      assert.equal(recipientsOf(given.mailbox), numbers(20).map(addressOf).sort());
    },
    {
      onRcptTo(_address, _session, done) {
        if (broken) place?.mailbox.drop();
        else done();
      },
    },
  );
});

test('nothing is sent while a line or the database cannot be read that may say that a reader gets no more email', () =>
  withReaders([addressOf(1)], async ({ data, mailbox, send }) => {
    for (const name of ['suppressed.jsonl', 'signups.jsonl']) {
      const file = join(data, name);
      const whole = existsSync(file) ? readFileSync(file, 'utf8') : '';
      writeFileSync(file, `not json\n${whole}`);
      const refusal = await send().catch((error: Error) => error.message);
      assert.match(String(refusal), `Line 1 of ${file} cannot be read. It may say that a reader gets no more email.`);
      writeFileSync(file, `${whole}{"id":"still`);
    }
    const { find, ...rest } = fileSubscriptions(join(data, 'signups.jsonl'));
    let lookups = 0;
    const subscriptions: SubscriptionStore = {
      ...rest,
      find: (criterion) => {
        lookups += 'id' in criterion ? 1 : 0;
        return lookups === 2 ? Promise.reject(new OperationError('The database is away.')) : find(criterion);
      },
      mark: async () => {},
    };
    const away = await send(undefined, { subscriptions }).catch((error: Error) => error);
    assert.is((away as { message: string }).message, 'The database is away.');
    assert.is((await send()).outcome, 'sent');
    assert.is(mailbox.mails.length, 1);
  }));

test('CATALOG_MAIL_RATE=2 sends no more than two emails in a second, over all five connections', () => {
  let now = 0;
  const [times, pauses]: [number[], { at: number; end(): void }[]] = [[], []];
  const wait = (ms: number) => new Promise<void>((end) => pauses.push({ at: now + ms, end }));
  return withReaders(
    numbers(9).map(addressOf),
    ({ mailbox, send }) =>
      withStillClock(async (later) => {
        const sending = send(smallSubject(), { environment: { CATALOG_MAIL_RATE: '2' }, wait });
        for (let count = 1; count < 9; count += 1) {
          await mailbox.received(count);
          later(500);
          now += 500;
          for (const { at, end } of pauses) if (at <= now) end();
        }
        assert.is((await sending).outcome, 'sent');
        assert.equal(times, [0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000]);
      }),
    {
      onMailFrom(_address, _session, done) {
        times.push(now);
        done();
      },
    },
  );
});

test('emails that fail on each run keep no other reader from getting theirs', () =>
  withReaders(
    numbers(20).map(addressOf),
    async ({ mailbox, send }) => {
      for (let run = 0; run < 4; run += 1) await send();
      assert.equal(recipientsOf(mailbox), numbers(20).slice(10).map(addressOf).sort());
    },
    {
      onRcptTo({ address }, _session, done) {
        done(Number(/\d+/.exec(address)?.[0]) <= 10 ? refuse(421, 'not for this reader') : undefined);
      },
    },
  ));

test('a server that is away is asked a few times, not once for each reader', () =>
  withReaders(numbers(50).map(addressOf), async ({ mailbox, send }) => {
    await mailbox.close();
    const { outcome, deliveries } = await send();
    assert.is(outcome, 'incomplete');
    assert.ok((deliveries as { waiting: number }).waiting >= 40);
  }));

test('an address with a line break, a space or a second address in the file gets no email and adds no recipient', () =>
  withReaders(
    [
      'a@example.com\r\nRCPT TO:<eve@example.com>',
      'b@example.com,eve@example.com',
      'c <eve@example.com>',
      'd@example.com',
    ],
    async ({ mailbox, send }) => {
      assert.match((await send()).message, /: 1 of 4 emails\. Refused permanently, and never mailed again: 3\.$/);
      assert.equal(recipientsOf(mailbox), ['d@example.com']);
    },
  ));

test.run();

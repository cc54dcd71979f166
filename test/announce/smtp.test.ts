import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { SMTPServerOptions } from 'smtp-server';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSender } from '../../src/announce/open-sender.ts';
import { parseAnnounceSettings } from '../../src/announce/settings.ts';
import { readToken } from '../../src/subscribers/tokens.ts';
import { inFolder, writeCatalog } from '../support/catalog.ts';
import { goodPrompt } from '../support/good-agent.ts';
import { journalIn, planIn, postalAddress, smallSubject } from '../support/mail/announcing.ts';
import { addReaders, addressOf, endReader, idOf, mailKey } from '../support/mail/readers.ts';
import { type Mailbox, startMailbox } from '../support/mailbox.ts';

/** Announcements over SMTP, to a real server: each confirmed reader gets one mail, whatever the server does. */

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const key = Buffer.from(mailKey);

interface Place {
  data: string;
  mailbox: Mailbox;
  send(subject?: ReturnType<typeof smallSubject>): Promise<{ outcome: string; message: string; deliveries?: object }>;
}

async function withReaders(
  addresses: readonly string[],
  use: (place: Place) => Promise<void>,
  server: SMTPServerOptions = {},
): Promise<void> {
  const mailbox = await startMailbox(server);
  try {
    await inFolder(async (data) => {
      addReaders(data, addresses);
      const environment = {
        ...{ CATALOG_SMTP_URL: mailbox.url, CATALOG_MAIL_FROM: 'Daily <daily@press.example>' },
        ...{ CATALOG_MAIL_KEY: mailKey, CATALOG_MAIL_RATE: '100000' },
      };
      const now = () => new Date('2026-11-20T08:00:00Z');
      const send: Place['send'] = async (subject = smallSubject()) => {
        const site = { baseUrl: 'https://press.example', runtimeUrl: 'https://press.example/run' };
        const options = { list: 'daily' as const, site, data, environment, now };
        const { sender, close } = await openSender(parseAnnounceSettings(environment), options);
        const claim = await journalIn(data, now).claim(subject.key);
        try {
          return await sender.send(subject, claim);
        } finally {
          await claim.release();
          close();
        }
      };
      await use({ data, mailbox, send });
    });
  } finally {
    mailbox.drop();
    await mailbox.close();
  }
}

const recipientsOf = ({ mails }: Mailbox) => mails.map(({ recipient }) => recipient).sort();
const refuse = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

test('each confirmed reader gets one mail with a link and a header of their own to unsubscribe', () =>
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
      const claims = readToken(token, 'unsubscribe', key, Date.parse('2036-01-01'));
      assert.equal(claims, { v: 1, purpose: 'unsubscribe', id: idOf(recipient), list: 'daily' });
      assert.not.match(messageId ?? '', /reader/);
      return [link, messageId];
    });
    assert.is(new Set(links.flat()).size, 6);
  }));

test('the journal names no address', () =>
  withReaders(['ann@example.com'], async ({ data, send }) => {
    const result = await send();
    const folder = join(data, 'announcements');
    const stored = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    assert.not.match(`${stored}${inspect(result)}`, /ann@|example\.com/);
  }));

test('an address that is refused permanently gets no more mail, and one that is refused for now gets it later', () => {
  const answers: Record<string, Error> = {
    'gone@example.com': refuse(550, '5.1.1 no such user'),
    'full@example.com': refuse(452, '4.2.2 mailbox full'),
    'policy@example.com': refuse(550, '5.7.1 relaying denied'),
  };
  return withReaders(
    ['a@example.com', ...Object.keys(answers)],
    async ({ mailbox, send }) => {
      const first = await send();
      assert.is(first.outcome, 'incomplete');
      assert.equal(first.deliveries, { accepted: 1, waiting: 0, deferred: 2, sending: 0, refused: 1, ended: 0 });
      assert.match(first.message, /^1 of 4 mails .* 2 were not sent\. To send them, run this command again\.$/);
      delete answers['full@example.com'];
      delete answers['policy@example.com'];
      assert.is((await send()).outcome, 'sent');
      const next = { ...smallSubject(), key: 'catalog:tag:press.example,2026:catalog:daily:2026-11-21' };
      assert.equal((await send(next)).deliveries, {
        accepted: 3,
        waiting: 0,
        deferred: 0,
        sending: 0,
        refused: 0,
        ended: 0,
      });
      const once = ['a@example.com', 'full@example.com', 'policy@example.com'];
      assert.equal(recipientsOf(mailbox), [...once, ...once].sort());
    },
    {
      onRcptTo({ address }, _session, done) {
        done(answers[address]);
      },
    },
  );
});

test('a reader who leaves while mails are being sent gets none', async () => {
  let leave = () => {};
  await withReaders(
    numbers(8).map(addressOf),
    async ({ data, mailbox, send }) => {
      leave = () => endReader(data, addressOf(8));
      assert.match((await send()).message, /^7 of 8 mails .* 1 readers left meanwhile\.$/);
      assert.equal(recipientsOf(mailbox), numbers(7).map(addressOf));
    },
    {
      onMailFrom(_address, _session, done) {
        leave();
        leave = () => {};
        done();
      },
    },
  );
});

test('a mail whose answer is lost is never repeated until a person decides', async () => {
  let place: Place | undefined;
  let texts = 0;
  await withReaders(
    ['a@example.com'],
    async (given) => {
      place = given;
      for (const run of [1, 2]) {
        const { outcome, message } = await given.send();
        assert.is(outcome, 'uncertain', `run ${run}`);
        assert.match(message, /^0 of 1 .* 1 may have been sent: .* --resolve sent or --resolve unsent\.$/);
      }
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

test('connections that break before the text are no question: the mails are sent by the next run', async () => {
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

test('a server that is away is asked a few times, not once for each reader', () =>
  withReaders(numbers(50).map(addressOf), async ({ mailbox, send }) => {
    await mailbox.close();
    const { outcome, deliveries } = await send();
    assert.is(outcome, 'incomplete');
    assert.ok((deliveries as { waiting: number }).waiting >= 40);
  }));

test('an address with a line break, a space or a second address in the file gets no mail and adds no recipient', () =>
  withReaders(
    [
      'a@example.com\r\nRCPT TO:<eve@example.com>',
      'b@example.com,eve@example.com',
      'c <eve@example.com>',
      'd@example.com',
    ],
    async ({ mailbox, send }) => {
      assert.match((await send()).message, /^1 of 4 mails .* 3 addresses were refused permanently/);
      assert.equal(recipientsOf(mailbox), ['d@example.com']);
    },
  ));

test.run();

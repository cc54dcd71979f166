import type { SMTPServerOptions } from 'smtp-server';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { smallSubject } from '../../support/mail/announcing.ts';
import { addressOf } from '../../support/mail/readers.ts';
import { numbers, recipientsOf, refuse, withReaders } from '../../support/mail/with-readers.ts';

/** Addresses that a mail server refuses: permanently, for now, or because it is set up wrongly. */

function refusal(asked: () => void): Error {
  asked();
  return refuse(451, '4.7.1 too many mails today');
}

test('an address that is refused permanently gets no more email, and one that is refused for now gets it later', () => {
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
      assert.match(
        first.message,
        /^Accepted by the mail server: 1 of 4 emails\. .* Not sent: 2\. The mail server did not accept an email \(EENVELOPE, RCPT TO, \d+\)\. To send them, run this command again\.$/,
      );
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

test('an address that is refused permanently gets no more email, also if the clock went back since it was confirmed', () =>
  withReaders(
    numbers(2).map(addressOf),
    async ({ send }) => {
      const now = () => new Date('2026-10-31T08:00:00Z');
      assert.match((await send(smallSubject(), { now })).message, / never mailed again: 1\.$/);
      const next = { ...smallSubject(), key: 'catalog:tag:press.example,2026:catalog:daily:2026-11-21' };
      assert.match((await send(next)).message, /: 1 of 1 email\.$/);
    },
    {
      onRcptTo({ address }, _session, done) {
        done(address === addressOf(2) ? refuse(550, 'no such user') : undefined);
      },
    },
  ));

test('a server that refuses everyone because it is set up wrongly costs no reader the email', () => {
  let open = false;
  return withReaders(
    numbers(12).map(addressOf),
    async ({ mailbox, send }) => {
      const { deliveries, message } = await send();
      assert.equal((deliveries as { refused: number }).refused, 0);
      assert.match(
        message,
        ' Not sent: 12. The mail server did not accept an email (EENVELOPE, RCPT TO, 550). To send',
      );
      open = true;
      assert.match((await send()).message, /: 11 of 12 emails\. Refused permanently, and never mailed again: 1\.$/);
      assert.equal(recipientsOf(mailbox), numbers(11).map(addressOf).sort());
      const next = { ...smallSubject(), key: 'catalog:tag:press.example,2026:catalog:daily:2026-11-21' };
      assert.match((await send(next)).message, /: 11 of 11 emails\.$/);
    },
    {
      onRcptTo({ address }, _session, done) {
        done(
          open && address !== addressOf(12) ? undefined : refuse(550, open ? 'no such user' : 'relay not permitted'),
        );
      },
    },
  );
});

for (const [what, server] of [
  ['MAIL FROM', (asked: () => void) => ({ onMailFrom: (_address, _session, done) => done(refusal(asked)) })],
  [
    'DATA',
    (asked: () => void) => ({
      onData: (stream, _session, done) => stream.resume().on('end', () => done(refusal(asked))),
    }),
  ],
] as [string, (asked: () => void) => SMTPServerOptions][]) {
  test(`a server that refuses ${what} is left alone after a few emails, and the reason is said`, () => {
    let count = 0;
    const asked = () => {
      count += 1;
    };
    return withReaders(
      numbers(30).map(addressOf),
      async ({ send }) => {
        const { message } = await send();
        assert.match(
          message,
          new RegExp(
            `: 0 of 30 emails\\. Not sent: 30\\. The mail server did not accept an email \\(\\w+, ${what}, 451\\)\\. To send`,
          ),
        );
        // Five are in progress at once, and four of them may have begun when the fifth fails.
        assert.ok(count >= 5 && count <= 9, `${count} mails`);
      },
      server(asked),
    );
  });
}

test('failures count only if nothing but failures comes between them', () => {
  const places = new Map(numbers(40).map((number) => [addressOf(number), number]));
  const fails = (address: string) => (places.get(address) ?? 0) % 2 === 1;
  return withReaders(
    [...places.keys()],
    async ({ send }) => {
      const { accepted, deferred, refused } = (await send()).deliveries as Record<string, number>;
      assert.equal({ accepted, deferred, refused }, { accepted: 10, deferred: 20, refused: 10 });
    },
    {
      // The server fails for every second email. Of the others, it accepts the first ten, and knows no more addresses.
      onRcptTo({ address }, _session, done) {
        done(fails(address) || (places.get(address) ?? 0) <= 20 ? undefined : refuse(550, '5.1.1 no such user'));
      },
      onData(stream, { envelope }, done) {
        const [to] = envelope.rcptTo;
        stream.resume().on('end', () => done(fails(to?.address ?? '') ? refuse(451, '4.3.0 try later') : null));
      },
    },
  );
});

test('many addresses that are refused at the same time are all remembered', () => {
  const refused = numbers(20).map(addressOf);
  return withReaders(
    [...refused, 'a@example.com'],
    async ({ mailbox, send }) => {
      assert.match((await send()).message, /: 1 of 21 emails\. Refused permanently, and never mailed again: 20\.$/);
      const next = { ...smallSubject(), key: 'catalog:tag:press.example,2026:catalog:daily:2026-11-21' };
      assert.match((await send(next)).message, /: 1 of 1 email\.$/);
      assert.equal(recipientsOf(mailbox), ['a@example.com', 'a@example.com']);
      // A mailbox may drop an email whose id it knows.
      assert.is(new Set(mailbox.mails.map(({ messageId }) => messageId)).size, 2);
    },
    {
      onRcptTo({ address }, _session, done) {
        done(refused.includes(address) ? refuse(550, '5.1.1 no such user') : undefined);
      },
    },
  );
});

test('a run with an email whose outcome is unknown says so, even if another one is left for the next run', () => {
  let drop = () => {};
  return withReaders(
    ['a@example.com', 'full@example.com'],
    async ({ mailbox, send }) => {
      drop = () => mailbox.drop();
      const { outcome, message } = await send();
      assert.is(outcome, 'uncertain');
      assert.match(message, /Not sent: 1\. .* Perhaps sent, so not repeated: 1\./);
    },
    {
      onRcptTo({ address }, _session, done) {
        done(address === 'full@example.com' ? refuse(452, '4.2.2 mailbox full') : undefined);
      },
      onData(stream) {
        stream.resume().on('end', () => drop());
      },
    },
  );
});

test.run();

import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MailKey, openConfirmations } from '../../../src/mail/consent.ts';
import type { ListName } from '../../../src/mail/provider.ts';
import { type Mail, SmtpFailed, type SmtpOutcome } from '../../../src/mail/smtp.ts';
import { SubscriptionIndex } from '../../../src/mail/subscribers-file.ts';

/** The emails that ask readers to confirm: what they say, and what happens to one that could not be sent. */

const key = new MailKey(Buffer.alloc(32, 7));
const now = Date.parse('2026-11-22T10:00:00Z');
const runtimeUrl = 'https://run.example/base';

interface Tried {
  confirmations: ReturnType<typeof openConfirmations>;
  /** Adds a subscription, and asks its reader to confirm it. */
  ask(id: string, list?: ListName, email?: string): void;
  sent: Mail[];
  /** The subscriptions that are stored as not asked. */
  unsent: string[];
  /** What the log says: the facts and the message. */
  logged: unknown[][];
  /** The pauses before retries, in milliseconds, and what ends each. */
  pauses: { ms: number; end(): void }[];
  isClosed(): boolean;
}

/** Runs `work` with emails that `send` accepts or refuses, and with timers that only the test ends. */
async function withMails(
  { send = async () => {}, url = runtimeUrl }: { send?: (mail: Mail) => Promise<void>; url?: string | null },
  work: (tried: Tried) => Promise<void>,
): Promise<void> {
  const index = new SubscriptionIndex();
  const [sent, logged, pauses]: [Mail[], unknown[][], Tried['pauses']] = [[], [], []];
  const unsent: string[] = [];
  let isClosed = false;
  const subscriptions = {
    find: async (wanted: Parameters<SubscriptionIndex['find']>[0]) => index.find(wanted),
    suppressions: async () => new Map<string, string>(),
    suppress: async () => {},
    mark: async (id: string, event: string) => {
      assert.is(event, 'unsent');
      unsent.push(id);
    },
  };
  const smtp = {
    async send(mail: Mail) {
      sent.push(mail);
      await send(mail);
    },
    close() {
      isClosed = true;
    },
  };
  const log = { warn: (...line: unknown[]) => void logged.push(line) };
  const { setTimeout, clearTimeout } = globalThis;
  globalThis.setTimeout = ((end: () => void, ms: number) => {
    const pause = { ms, end, unref: () => pause };
    pauses.push(pause);
    return pause;
  }) as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((pause: never) => void pauses.splice(pauses.indexOf(pause), 1)) as typeof clearTimeout;
  try {
    const tools = { subscriptions, key, now: () => now, smtp, title: () => 'A & <B>', runtimeUrl: () => url, log };
    const confirmations = openConfirmations(tools);
    const ask = (id: string, list: ListName = 'daily', email = `${id}@example.com`) => {
      index.add({ id, time: new Date(now).toISOString(), email, list, pending: true });
      confirmations.ask(id);
    };
    await work({ confirmations, ask, sent, unsent, logged, pauses, isClosed: () => isClosed });
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
}

/** Lets everything happen that waits for no timer. */
async function settled(): Promise<void> {
  for (let round = 0; round < 10; round += 1) await turn();
}

const wishes: [list: ListName, wish: string, inHtml: string][] = [
  ['daily', 'to get one agent a day from A & <B> by email', 'to get one agent a day from A &#38; &#60;B&#62; by email'],
  ['pro', 'to join the Pro waitlist of A & <B>', 'to join the Pro waitlist of A &#38; &#60;B&#62;'],
  ['custom', 'to ask A & <B> for a custom agent', 'to ask A &#38; &#60;B&#62; for a custom agent'],
];
for (const [list, wish, inHtml] of wishes) {
  test(`an email says what its reader asked for, with both links: ${list}`, () =>
    withMails({}, async ({ ask, sent }) => {
      ask('ann', list);
      await settled();
      const subscribed = { id: 'ann', list };
      const confirm = key.confirmAddress(subscribed, runtimeUrl, now);
      const [{ to, subject, text, html, unsubscribe }] = sent as [Mail];
      assert.equal([to, subject], ['ann@example.com', 'Confirm your subscription to A & <B>']);
      assert.is(unsubscribe, key.unsubscribeAddress(subscribed, runtimeUrl));
      assert.match(text, `Someone entered this address ${wish}.`);
      assert.match(text, `within seven days and press the button:\n${confirm}\n`);
      assert.match(html, `">Someone entered this address ${inHtml}.</p>`);
      assert.match(html, `<a href="${confirm}" style=`);
      assert.match(html, '<title>A &#38; &#60;B&#62;</title>');
      for (const part of [text, html]) assert.match(part, 'without your confirmation, you are not subscribed');
    }));
}

const notDelivered = new SmtpFailed({ code: 'ECONNREFUSED', command: 'CONN' }, false);
const notSent = 'An email that asks to confirm a subscription was not sent.';
const facts = { outcome: 'unsent', code: 'ECONNREFUSED', status: null };

test('an email that was certainly not sent is tried again after one minute and after ten, and then no more', () =>
  withMails({ send: () => Promise.reject(notDelivered) }, async ({ ask, sent, unsent, logged, pauses }) => {
    ask('ann');
    await settled();
    assert.equal([sent.length, logged], [1, [[facts, `${notSent} It is tried again later.`]]]);
    for (const count of [2, 3]) {
      assert.equal(unsent, []);
      pauses.at(-1)?.end();
      await settled();
      assert.is(sent.length, count);
    }
    assert.equal(
      pauses.map(({ ms }) => ms),
      [60_000, 600_000],
    );
    assert.equal(logged.at(-1), [facts, `${notSent} The reader can subscribe again.`]);
    assert.equal(unsent, ['ann'], 'it is no longer one of the emails that an address gets');
  }));

test('if an email is given up, so are later requests of its reader that were to share it', () =>
  withMails({ send: () => Promise.reject(notDelivered) }, async ({ ask, sent, unsent, pauses }) => {
    ask('ann');
    await settled();
    ask('again', 'daily', 'ann@example.com');
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await settled();
      pauses[attempt]?.end();
    }
    await settled();
    assert.equal([sent.length, unsent], [3, ['ann', 'again']]);
  }));

test('an email that was sent at the second attempt is not sent a third time', () => {
  let attempts = 0;
  const send = async () => {
    attempts += 1;
    if (attempts === 1) throw notDelivered;
  };
  return withMails({ send }, async ({ ask, sent, pauses }) => {
    ask('ann');
    await settled();
    pauses[0]?.end();
    await settled();
    assert.equal([sent.length, pauses.length], [2, 1]);
  });
});

const final: [outcome: SmtpOutcome, failure: SmtpFailed][] = [
  ['refused', new SmtpFailed({ responseCode: 550, response: '550 5.1.1 no such user', command: 'RCPT TO' }, false)],
  ['unknown', new SmtpFailed({ code: 'ECONNRESET' }, true)],
];
for (const [outcome, failure] of final) {
  test(`an email whose outcome is "${outcome}" is not sent again, and the next one is sent`, () => {
    const send = (mail: Mail) => (mail.to.startsWith('ann') ? Promise.reject(failure) : Promise.resolve());
    return withMails({ send }, async ({ ask, sent, logged, pauses }) => {
      ask('ann');
      ask('bob');
      await settled();
      const { code, status } = failure;
      const result = outcome === 'unknown' ? notSent.replace('was not', 'may not have been') : notSent;
      assert.equal(logged, [[{ outcome, code, status }, `${result} The reader can subscribe again.`]]);
      assert.equal([sent.map(({ to }) => to), pauses], [['ann@example.com', 'bob@example.com'], []]);
    });
  });
}

test('emails are sent one after the other, a thousand may wait, and more are reported', () => {
  let release = () => {};
  const send = () =>
    new Promise<void>((done) => {
      release = done;
    });
  return withMails({ send }, async ({ ask, sent, unsent, logged }) => {
    for (let count = 0; count < 1_000; count += 1) ask(`reader-${count}`);
    await settled();
    assert.equal([sent.length, logged], [1, []]);
    ask('late');
    const words = 'Too many emails are waiting to be sent, so a reader was not asked to confirm a subscription.';
    assert.equal(logged, [[{}, words]]);
    await settled();
    assert.equal(unsent, ['late'], 'its reader can subscribe again at once');
    release();
    await settled();
    assert.is(sent.length, 2);
    // One place is free, and no more.
    ask('later');
    assert.is(logged.length, 1);
    ask('too late');
    assert.is(logged.length, 2);
  });
});

test('without an address of the server, no email is sent', () =>
  withMails({ url: null }, async ({ ask, sent, logged }) => {
    ask('ann');
    await settled();
    assert.equal([sent, logged], [[], []]);
  }));

test('closing waits for the email that is being sent, tries none again, and closes the connection', () => {
  let fail = () => {};
  const send = (mail: Mail) =>
    mail.to.startsWith('ann')
      ? Promise.reject(notDelivered)
      : new Promise<void>((_, reject) => {
          fail = () => reject(new SmtpFailed({ code: 'ECONNRESET' }, true));
        });
  return withMails({ send }, async ({ confirmations, ask, unsent, logged, pauses, isClosed }) => {
    ask('ann');
    ask('ann-marie');
    ask('bob');
    await settled();
    assert.is(pauses.length, 2);
    const closed = confirmations.close();
    await settled();
    assert.equal([pauses.length, isClosed()], [0, false]);
    fail();
    await closed;
    assert.equal([isClosed(), logged.length], [true, 3]);
    // Whether the email to Bob was sent is not known.
    assert.equal(unsent, ['ann', 'ann-marie']);
  });
});

test.run();

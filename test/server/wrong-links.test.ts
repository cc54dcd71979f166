import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MailKey } from '../../src/mail/consent.ts';
import { ann, base, confirmLink, env, says, titleOf, unsubscribeLink, withMails } from '../support/confirmations.ts';
import type { ReceivedMail } from '../support/mailbox.ts';
import { ask, postJson } from '../support/requests.ts';
import { withRuntime } from '../support/server.ts';
import { until } from '../support/until.ts';

/** Confirming by mail when something is wrong: links, addresses, the mail server, the disk, and the settings. */

const key = new MailKey(Buffer.from(env.CATALOG_MAIL_KEY));
const subscribed = { id: 'c0ffee', list: 'daily' as const };
const weekAgo = Date.now() - 7 * 24 * 60 * 60_000 - 60_000;
const forgedLink = new MailKey(Buffer.alloc(32)).confirmAddress(subscribed, base, Date.now());

test('a link of a reader who is no longer stored has ended, and another method is refused', () =>
  withMails(async ({ subscribe, open, stored, mailbox }) => {
    await subscribe();
    await mailbox.received(1);
    const erased = await open(key.confirmAddress(subscribed, base, Date.now()), 'POST', '');
    assert.is(erased.status, 410);
    const put = await open(confirmLink(mailbox.mails[0] as ReceivedMail), 'PUT', '');
    assert.equal([put.status, put.headers.allow], [405, 'GET, HEAD, POST']);
    assert.is(stored().length, 1);
  }));

test('guessing links is limited, and links that work are not', () =>
  withMails(
    async ({ subscribe, open, mailbox }) => {
      await subscribe();
      await mailbox.received(1);
      const link = unsubscribeLink(mailbox.mails[0] as ReceivedMail);
      const statuses = [];
      for (let guess = 0; guess < 2; guess += 1) statuses.push((await open(forgedLink, 'POST', '')).status);
      assert.equal(statuses, [400, 400]);
      const over = await open(forgedLink, 'POST', '');
      assert.equal([over.status, titleOf(over)], [429, 'This link did not work']);
      assert.match(over.headers['retry-after'] ?? '', /^[1-9]\d*$/);
      for (let click = 0; click < 5; click += 1) assert.is((await open(link, 'POST', '')).status, 200);
    },
    { flags: { refusedRate: '2/60' } },
  ));

const refusedAddresses = [
  'ann@example.com\r\nBcc: eve@example.com',
  'ann@example.com\n',
  'ann@example.com>\r\nRCPT TO:<eve@example.com',
];
test('an address with a line break is refused and gets no mail', () =>
  withMails(async ({ subscribe, mailbox }) => {
    for (const email of refusedAddresses) assert.is((await subscribe({ ...ann, email })).status, 400, email);
    await subscribe();
    await mailbox.received(1);
    assert.equal(
      mailbox.mails.map(({ recipient }) => recipient),
      [ann.email],
    );
  }));

test('a mail server that refuses does not keep readers from subscribing; the log says why, without the address', () => {
  const refuse = Object.assign(new Error(`5.1.1 no ${ann.email}`), { responseCode: 550 });
  const onRcptTo = (_address: unknown, _session: unknown, done: (error: Error) => void) => done(refuse);
  return withMails(
    async ({ subscribe, server }) => {
      assert.is((await subscribe()).status, 200);
      await until(() => server.logged().includes('was not sent'));
      assert.match(server.logged(), '"outcome":"refused","code":"EENVELOPE","status":550');
      assert.match(server.logged(), 'The reader can subscribe again.');
      assert.not.match(server.logged(), /ann\.reader/i);
    },
    {},
    { onRcptTo },
  );
});

test('without a mail server, subscriptions need no confirmation, the log says so, and old links still work', () => {
  const withoutMails = (folderKey: boolean) =>
    withRuntime({ env: folderKey ? { CATALOG_MAIL_KEY: env.CATALOG_MAIL_KEY } : {} }, async ({ server, data }) => {
      assert.is((await postJson(server.address, '/api/subscribe', ann)).status, 200);
      const { pending, email } = JSON.parse(readFileSync(join(data, 'signups.jsonl'), 'utf8'));
      assert.equal([pending, email], [undefined, ann.email]);
      assert.match(server.logged(), 'subscriptions are not confirmed by email, since CATALOG_SMTP_URL is not set');
      const { pathname, search } = new URL(key.confirmAddress(subscribed, base, weekAgo));
      assert.is((await ask(server.address, pathname + search)).status, folderKey ? 410 : 404);
    });
  return withoutMails(true).then(() => withoutMails(false));
});

test('a disk that fails answers 503 to a click', () =>
  withMails(async ({ subscribe, open, mailbox, data, server }) => {
    await subscribe();
    await mailbox.received(1);
    const link = confirmLink(mailbox.mails[0] as ReceivedMail);
    const file = join(data, 'signups.jsonl');
    renameSync(file, `${file}.away`);
    mkdirSync(file);
    const answer = await open(link, 'POST', '');
    assert.equal([answer.status, says(answer)], [503, 'Your answer could not be stored. Try again later.']);
    const [line = ''] = server
      .logged()
      .split('\n')
      .filter((each) => each.includes('"level":50'));
    const { err, path, msg } = JSON.parse(line);
    assert.equal(
      [err.code, path, msg],
      ['EISDIR', '/subscription/confirm', 'what a reader answered to an email could not be stored'],
    );
    assert.is((await open(link)).status, 200);
  }));

test('the pages of links are not files of the site, with or without mails', () =>
  withMails(async ({ server }) => {
    for (const page of [
      'confirm.html',
      'unsubscribe.html',
      'failed',
      'failed.html',
      'confirmed',
      'unsubscribed.html',
    ]) {
      for (let round = 0; round < 2; round += 1) {
        const { status, text } = await ask(server.address, `/subscription/${page}`);
        assert.equal([status, text.includes('The link is incomplete, or it no longer works.')], [404, false], page);
      }
    }
  }).then(() =>
    withRuntime({}, async ({ server }) => {
      for (const page of ['confirm', 'unsubscribe', 'confirmed']) {
        assert.is((await ask(server.address, `/subscription/${page}`)).status, 404, page);
      }
    }),
  ));

test('a provider that asks readers itself needs no mails, and the log says that none are sent', () => {
  const given = {
    ...env,
    CATALOG_SMTP_URL: 'smtp://127.0.0.1:9',
    CATALOG_SIGNUPS: 'buttondown',
    CATALOG_SIGNUPS_KEY: 'k',
  };
  return withRuntime({ env: given }, async ({ server }) => {
    assert.match(server.logged(), 'emails are not sent, since buttondown asks readers to confirm');
    const { pathname, search } = new URL(key.confirmAddress(subscribed, base, Date.now()));
    assert.is((await ask(server.address, pathname + search)).status, 404);
  });
});

test('mails without an address of the server stop the start, and so does a sender that is missing', async () => {
  const start = (more: object, given: object) =>
    withRuntime({ settings: more, env: { CATALOG_SMTP_URL: 'smtp://127.0.0.1:9', ...given } }, async () => {}).catch(
      ({ message }) => message,
    );
  assert.is(
    await start({ runtimeUrl: null }, env),
    'CATALOG_SMTP_URL is set, but the build has no server for the links in emails. Set runtimeUrl, and build again.',
  );
  assert.is(
    await start({}, {}),
    'CATALOG_MAIL_FROM has to be a sender such as Daily Agents <daily@example.com>, on one line.',
  );
});

test.run();

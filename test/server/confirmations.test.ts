import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ann, base, confirmLink, says, titleOf, unsubscribeLink, withMails } from '../support/confirmations.ts';
import type { ReceivedMail } from '../support/mailbox.ts';
import { ask } from '../support/requests.ts';
import { builtCatalog, oneAgent } from '../support/server.ts';
import { until } from '../support/until.ts';

/** Subscriptions that are confirmed by mail: a real SMTP server, and the pages that its mails link to. */

test('a reader is asked by mail, confirms with the button, and leaves in one click', () =>
  withMails(async ({ subscribe, open, stored, mailbox, server }) => {
    const answer = await subscribe({ ...ann, form: '0123456789ab' });
    assert.equal([answer.status, answer.text], [200, '{"ok":true}']);
    await mailbox.received(1);
    const [mail] = mailbox.mails as [ReceivedMail];
    assert.equal(
      [mail.recipient, mail.from?.value],
      [ann.email, [{ name: 'Agents & Co', address: 'daily@example.com' }]],
    );
    assert.is(mail.subject, 'Confirm your subscription to Small Catalog');
    assert.match(mail.text ?? '', 'Someone entered this address to get one agent a day from Small Catalog by email.');
    assert.match(String(mail.html), '<title>Small Catalog</title>');
    const [confirm, unsubscribe] = [confirmLink(mail), unsubscribeLink(mail)];
    assert.ok(confirm.startsWith(`${base}/subscription/confirm?token=`), confirm);
    assert.ok(unsubscribe.startsWith(`${base}/subscription/unsubscribe?token=`), unsubscribe);
    assert.not.match(Buffer.from(confirm.split('token=')[1] ?? '', 'base64url').toString(), /ann/i);

    // Programs that look for harmful mails open links.
    for (const link of [confirm, unsubscribe]) {
      for (const method of ['GET', 'HEAD', 'GET']) assert.is((await open(link, method)).status, 200);
    }
    assert.is(stored().length, 1);

    const page = await open(confirm);
    assert.is(titleOf(page), 'Confirm your subscription');
    // w3m leaves out the query of the address that a form without an action is sent to.
    const { search } = new URL(confirm);
    const form = `<form class="subscribe" method="post" action="${search}">\n<p class="buttons"><button type="submit">`;
    assert.ok(page.text.includes(`${form}Subscribe<`), page.text);
    assert.is(page.headers['cache-control'], 'no-store');
    // Otherwise, requests from the page would show the token in its address to others.
    assert.is(page.headers['referrer-policy'], 'strict-origin');
    const confirmed = await open(confirm, 'POST', '');
    assert.equal([confirmed.status, titleOf(confirmed)], [200, 'You are subscribed']);

    const leave = await open(unsubscribe);
    assert.is(titleOf(leave), 'Unsubscribe');
    assert.ok(leave.text.includes(form.replace(search, new URL(unsubscribe).search)), leave.text);
    const left = await open(unsubscribe, 'POST', 'List-Unsubscribe=One-Click');
    assert.equal([left.status, titleOf(left)], [200, 'You are unsubscribed']);
    assert.equal([left.headers.location, left.headers['set-cookie']], [undefined, undefined]);

    const [request, first, second] = stored();
    const { time, ...consent } = request ?? {};
    assert.equal(consent, { id: '', email: ann.email, list: 'daily', form: '0123456789ab', pending: true });
    assert.equal([first?.event, second?.event], ['confirmed', 'unsubscribed']);
    assert.ok(Date.parse(String(time)) <= Date.parse(String(first?.time)));
    assert.not.match(server.logged(), /token|ann/i);
  }));

test('two clicks at once, and clicks after that, store one confirmation', () =>
  withMails(async ({ subscribe, open, stored, mailbox }) => {
    await subscribe();
    await mailbox.received(1);
    const link = confirmLink(mailbox.mails[0] as ReceivedMail);
    const clicks = await Promise.all([open(link, 'POST', ''), open(link, 'POST', '')]);
    for (const click of [...clicks, await open(link, 'POST', '')]) {
      assert.equal([click.status, titleOf(click)], [200, 'You are subscribed']);
    }
    assert.equal(new Set(stored().map(({ event }) => event)), new Set([undefined, 'confirmed']));
  }));

test('a link that was used before its reader left does not subscribe them again', () =>
  withMails(async ({ subscribe, open, stored, mailbox }) => {
    await subscribe();
    await mailbox.received(1);
    const [mail] = mailbox.mails as [ReceivedMail];
    await open(confirmLink(mail), 'POST', '');
    for (let click = 0; click < 2; click += 1) assert.is((await open(unsubscribeLink(mail), 'POST', '')).status, 200);
    const replayed = await open(confirmLink(mail), 'POST', '');
    assert.equal(
      [replayed.status, titleOf(replayed), says(replayed)],
      [410, 'This link did not work', 'This subscription has ended. Subscribe again to get a new link.'],
    );
    assert.equal(
      stored().map(({ event }) => event),
      [undefined, 'confirmed', 'unsubscribed'],
    );
  }));

test('an address that is known gets the same answer as a new one, and no second mail', () =>
  withMails(async ({ subscribe, open, mailbox, stored }) => {
    const first = await subscribe();
    await mailbox.received(1);
    await open(confirmLink(mailbox.mails[0] as ReceivedMail), 'POST', '');
    const second = await subscribe({ ...ann, email: ann.email.toUpperCase() });
    assert.equal([second.status, second.text], [first.status, first.text]);
    assert.equal(Object.keys(second.headers), Object.keys(first.headers));
    // The mails are sent in order, so this one comes after a second one to the same address.
    await subscribe({ email: 'bob@example.com', list: 'pro' });
    await mailbox.received(2);
    assert.equal(
      mailbox.mails.map(({ recipient }) => recipient),
      [ann.email, 'bob@example.com'],
    );
    assert.match(
      mailbox.mails[1]?.text ?? '',
      'Someone entered this address to join the Pro waitlist of Small Catalog.',
    );
    assert.is(stored().length, 4);
  }));

test('mails have the title of the latest build, and link to its server, also from a sender without a name', () =>
  withMails(
    async ({ subscribe, mailbox, server: { address }, folder, dist }) => {
      const moved = { title: 'New & Better', runtimeUrl: 'https://votes.example/news' };
      cpSync(builtCatalog(join(folder, 'next'), oneAgent, moved), dist, { recursive: true });
      await ask(address, '/no-such-page');
      await subscribe();
      await mailbox.received(1);
      const [mail] = mailbox.mails as [ReceivedMail];
      assert.is(mail.subject, 'Confirm your subscription to New & Better');
      assert.match(String(mail.html), '<title>New &#38; Better</title>');
      assert.ok(confirmLink(mail).startsWith(`${moved.runtimeUrl}/subscription/confirm?token=`));
    },
    { env: { CATALOG_MAIL_FROM: 'daily@example.com' } },
  ));

test('a server that stops finishes the mail that it is sending', () => {
  let isBegun = false;
  const onMailFrom = (_address: unknown, _session: unknown, done: () => void) => {
    isBegun = true;
    setTimeout(done, 200);
  };
  return withMails(
    async ({ subscribe, mailbox, server }) => {
      await subscribe();
      await until(() => isBegun);
      await server.stop();
      assert.is(mailbox.mails.length, 1);
    },
    {},
    { onMailFrom },
  );
});

test.run();
